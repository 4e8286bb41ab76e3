//! Looking around, switching, and what clients of other programs are answered.

use axum::body::Body;
use http::Request;
use openoxide_server::connect::Here;
use openoxide_server::{HttpOptions, Identity, Peer};
use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use super::{Came, Server};

fn some() -> TestContext {
    let context = TestContext::new();
    context.skill("deploy", "Ship it").skill("notes", "Write notes");
    context
}

#[tokio::test]
async fn every_way_of_looking_answers_what_the_command_line_does() {
    let server = Server::new(some());
    let came = server.post("/v1/mentions", &json!({"items": [{"type": "text", "text": "use $notes"}]})).await;
    assert_eq!(came.json()["selected"][0]["name"], "notes", "{}", came.text());
    let prompt = server.get("/v1/prompt?window=200000").await.json();
    assert!(prompt["text"].as_str().unwrap().contains("Write notes"), "{prompt}");
    let found = server.get("/v1/search?q=write").await.json();
    assert_eq!((&found["hits"][0]["id"], found["hits"].as_array().unwrap().len()), (&json!("notes"), 1), "{found}");
    let hosts = server.get("/v1/hosts").await.json();
    assert!(hosts["hosts"].as_array().unwrap().len() > 10 && hosts["matrix"] == json!([]), "{hosts}");
    let one = server.get("/v1/hosts?host=codex&matrix=true").await.json();
    assert_eq!((one["hosts"].as_array().unwrap().len(), one["matrix"].as_array().unwrap().len()), (1, 2));
    let roots = server.get("/v1/roots").await.json();
    assert!(roots["roots"].as_array().unwrap().iter().any(|root| root["skills"] == 2), "{roots}");
    server.context.tree("//- project/.agents/skills/bad/SKILL.md\nno frontmatter\n");
    let again = server.post("/v1/reload", &json!({})).await.json();
    assert_eq!((&again["skills"], &again["others"]), (&json!(2), &json!(1)), "{again}");
    let problems = server.get("/v1/problems").await.json();
    assert!(problems["problems"][0]["path"].as_str().unwrap().ends_with("bad/SKILL.md"), "{problems}");
}

#[tokio::test]
async fn a_skill_is_switched_off_and_on_in_settings_of_our_own() {
    let server = Server::new(some());
    let off = server.post("/v1/skills/deploy/disable", &json!({})).await;
    assert_eq!((off.status.as_u16(), &off.json()["changes"][0]["action"]), (200, &json!("disable")), "{}", off.text());
    let list = server.get("/v1/skills?all=true").await.json();
    let has = |part: &str| list[part].as_array().unwrap().iter().any(|skill| skill["name"] == "deploy");
    assert_eq!((has("skills"), has("others")), (false, true), "{list}");
    assert_eq!(server.post("/v1/skills/deploy/activate", &json!({})).await.status, 409);
    let on = server.post("/v1/skills/deploy/enable", &json!({})).await;
    assert_eq!(on.status, 200, "{}", on.text());
    assert_eq!(server.post("/v1/skills/deploy/activate", &json!({})).await.status, 200);
    assert_eq!(server.post("/v1/skills/none/enable", &json!({})).await.status, 404);
    let foreign = server.post("/v1/skills/deploy/disable?host=codex", &json!({})).await;
    assert_eq!(foreign.status, 403, "{}", foreign.text());
}

#[tokio::test]
async fn skills_are_commands_to_clients_that_expect_records() {
    let context = some();
    context.tree(
        "//- project/.opencode/skills/init/SKILL.md\n---\nname: init\ndescription: Taken\n---\n\
         //- project/.opencode/skills/bare/SKILL.md\n---\nname: bare\n---\nDo $1\n",
    );
    let server = Server::new(context);
    let skills = server.get("/skill").await.json();
    let names: Vec<&str> = skills.as_array().unwrap().iter().map(|skill| skill["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["bare", "deploy", "init", "notes"]);
    let location = server.context.project().join(".opencode/skills/bare/SKILL.md");
    let bare = json!({"name": "bare", "description": null, "location": location, "content": "Do $1\n"});
    assert_eq!(skills[0], bare);
    let commands = server.get("/command").await.json();
    let names: Vec<&str> = commands.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["bare", "deploy", "notes"]);
    assert_eq!((&commands[0]["source"], &commands[0]["hints"]), (&json!("skill"), &json!([])));
    assert!(commands[0]["template"].as_str().unwrap().starts_with("Do $1\n\n\nBase directory"), "{commands}");
}

/// The program's own library names the folder in a header.
#[tokio::test]
async fn a_folder_can_be_named_in_the_header_that_such_clients_send() {
    let context = some();
    context.tree("//- far+away/.opencode/skills/far/SKILL.md\n---\nname: far\ndescription: F\n---\n");
    let server = Server::new(context);
    let folder = server.context.root().join("far+away").to_str().unwrap().to_owned();
    let names = |came: Came| -> Vec<String> {
        came.json().as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let from = |peer: Peer, path: String, folder: String| {
        let request = Request::get(path).extension(peer).header("x-opencode-directory", folder);
        server.ask(request.body(Body::empty()).unwrap())
    };
    let ask = |path: String, folder: String| from(Peer::Local, path, folder);
    let elsewhere = from(Peer::Remote, "/skill".to_owned(), folder.clone()).await;
    assert_eq!(elsewhere.status, 403, "who is elsewhere names no folder");
    for sent in [folder.clone(), folder.replace('/', "%2F").replace('+', "%2B")] {
        assert_eq!(names(ask("/skill".to_owned(), sent.clone()).await), ["far"], "{sent}");
        assert_eq!(names(ask("/command".to_owned(), sent).await), ["far"]);
    }
    let project = server.context.project().to_str().unwrap().to_owned();
    let both = ask(format!("/skill?directory={project}"), folder).await;
    assert!(!names(both).contains(&"far".to_owned()), "the address counts first");
    assert_eq!(ask("/skill".to_owned(), "relative".to_owned()).await.status, 404);
}

#[tokio::test]
async fn what_is_published_can_be_verified_and_is_no_more_than_counts() {
    use sha2::{Digest as _, Sha256};
    let context = some();
    context.tree(
        "//- project/.agents/skills/notes/ref/a.md\n# A\n\
         //- project/.agents/skills/Odd/SKILL.md\n---\nname: Odd Name\ndescription: Odd\n---\n\
         //- project/.agents/skills/mine/SKILL.md\n---\nname: mine\ndescription: M\ndisable-model-invocation: true\n---\n\
         //- home/.openoxide/config.toml\n[permission.skill]\ndeploy = \"deny\"\n",
    );
    let server = Server::new(context);
    let came = server.get("/.well-known/agent-skills/index.json").await;
    let index = came.json();
    assert_eq!(index["$schema"], "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    let skills = index["skills"].as_array().unwrap();
    let [notes] = skills.as_slice() else { panic!("{index}") };
    assert_eq!((notes["name"].as_str(), notes["type"].as_str()), (Some("notes"), Some("archive")));
    let archive = server.get(notes["url"].as_str().unwrap()).await;
    assert_eq!((archive.status.as_u16(), archive.header("content-type")), (200, "application/gzip"));
    let digest =
        Sha256::digest(&archive.bytes).iter().fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}"));
    assert_eq!(notes["digest"], digest);
    assert_eq!(unpacked(&archive.bytes), ["SKILL.md", "ref/a.md"]);
    let old = server.get("/.well-known/skills/index.json").await.json();
    assert_eq!(old["skills"][0]["files"], json!(["SKILL.md", "ref/a.md"]));
    assert_eq!(server.get("/.well-known/skills/notes/ref/a.md").await.text(), "# A\n");
    for hidden in ["deploy/SKILL.md", "mine/SKILL.md", "deploy.tar.gz", "notes/../../x", "notes/none"] {
        assert_eq!(server.get(&format!("/.well-known/agent-skills/{hidden}")).await.status, 404, "{hidden}");
    }
    let head = Request::head("/.well-known/agent-skills/index.json").extension(Peer::Local);
    let head = server.ask(head.body(Body::empty()).unwrap()).await;
    assert_eq!((head.status.as_u16(), head.bytes.len(), head.header("etag")), (200, 0, came.header("etag")));
}

#[tokio::test]
async fn what_may_not_be_read_and_secrets_are_not_published() {
    let context = some();
    context.tree(
        "//- project/.agents/skills/notes/ref/a.md\n# A\n\
         //- project/.agents/skills/notes/.env\nTOKEN=1\n\
         //- project/.agents/skills/notes/keys/id_rsa\nkey\n\
         //- project/.agents/skills/deploy/private/b.md\n# B\n\
         //- project/.agents/skills/deploy/ask/c.md\n# C\n\
         //- project/.agents/skills/deploy/open.md\n# Open\n\
         //- home/.openoxide/config.toml\n[permission.read]\n\"deploy/private/*\" = \"deny\"\n\"deploy/ask/*\" = \"ask\"\n",
    );
    let server = Server::new(context);
    let index = server.get("/.well-known/agent-skills/index.json").await;
    let listed = index.json();
    let [notes] = listed["skills"].as_array().unwrap().as_slice() else { panic!("{listed}") };
    let archive = server.get(notes["url"].as_str().unwrap()).await;
    assert_eq!(unpacked(&archive.bytes), ["SKILL.md", "ref/a.md"]);
    let again = server.get("/.well-known/agent-skills/index.json").await;
    assert_eq!(again.bytes, index.bytes, "what is remembered is the same");
    let old = server.get("/.well-known/skills/index.json").await.json();
    assert_eq!(old["skills"][0]["files"], json!(["SKILL.md", "open.md"]), "{old}");
    assert_eq!(old["skills"][1]["files"], json!(["SKILL.md", "ref/a.md"]), "{old}");
    for hidden in ["notes/.env", "notes/keys/id_rsa", "deploy/private/b.md", "deploy/ask/c.md", "deploy.tar.gz"] {
        assert_eq!(server.get(&format!("/.well-known/agent-skills/{hidden}")).await.status, 404, "{hidden}");
    }
    fs_err::write(server.context.project().join(".agents/skills/notes/ref/a.md"), "# Other\n").unwrap();
    let changed = server.get("/.well-known/agent-skills/index.json").await;
    assert_ne!(changed.json()["skills"][0]["digest"], notes["digest"]);
}

/// Names what a tar in gzip holds, by the program that everyone has.
fn unpacked(bytes: &[u8]) -> Vec<String> {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut tar = Command::new("tar").args(["-tz"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    tar.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = tar.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn nothing_is_published_where_that_is_switched_off() {
    let server = Server::serving(some(), HttpOptions { well_known: false, ..HttpOptions::default() });
    for path in ["agent-skills/index.json", "skills/index.json", "agent-skills/notes/SKILL.md"] {
        assert_eq!(server.get(&format!("/.well-known/{path}")).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn pages_run_nothing_and_escape_what_skills_say() {
    let server = Server::new(some());
    for path in ["/", "/docs"] {
        let page = server.get(path).await;
        assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/html; charset=utf-8"));
        let policy = page.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; style-src 'sha256-") && policy.contains("frame-ancestors 'none'")
        );
        assert!(!page.text().contains("<script") && !page.text().contains("http-equiv"), "{path}");
    }
    let docs = server.get("/docs").await.text();
    let answer = "<dt>answer</dt><dd>The decision, one of the question&#39;s choices. One of <code>once</code>";
    assert!(docs.contains("/v1/skills/{id}/activate") && docs.contains(answer), "{docs}");
    let metrics = server.get("/metrics").await.text();
    assert!(
        metrics.contains("\nopenoxide_audit_lost_total 0\n") && metrics.contains("\nopenoxide_audit_failed_total 0\n")
    );
    assert!(
        metrics.contains("\nopenoxide_skills 2\n") && metrics.contains("openoxide_http_answers_total"),
        "{metrics}"
    );
}

#[tokio::test]
async fn the_front_page_has_the_skills_what_is_wrong_and_a_line_for_each_agent() {
    let context = some();
    context.skill("evil", "<img src=x onerror=alert(1)>").tree("//- project/.agents/skills/bad/SKILL.md\nnothing\n");
    let server = Server::new(context);
    let front = server.get("/").await.text();
    for name in ["claude", "codex", "opencode", "gemini"] {
        assert!(front.contains(&format!(">{name} mcp add")), "{name}: {front}");
    }
    for part in ["href=\"v1/skills/notes\"", "Write notes", "&lt;img src=x", "bad/SKILL.md"] {
        assert!(front.contains(part), "{part}: {front}");
    }
    assert!(!front.contains("<img"), "{front}");
    let root = server.context.root().to_string_lossy().into_owned();
    let elsewhere = server.ask(Request::get("/").extension(Identity::Person).body(Body::empty()).unwrap()).await.text();
    assert!(front.contains(&root) && !elsewhere.contains(&root) && elsewhere.contains("bad/SKILL.md"), "{elsewhere}");
}

/// On the machine of the server, the way that needs no token comes first; elsewhere its files are not there.
#[tokio::test]
async fn the_front_page_says_what_can_be_pasted_where_it_is_read() {
    let command = ["/opt/openoxide", "mcp"].map(str::to_owned).to_vec();
    let here = Here { command, token_line: Some("export OPENOXIDE_TOKEN=\"$(/opt/openoxide token)\"".to_owned()) };
    let server = Server::serving(some(), HttpOptions { here, ..HttpOptions::default() });
    let front = server.get("/").await.text();
    let at = |text: &str| front.find(text).unwrap_or_else(|| panic!("{text}: {front}"));
    let stdio = at(">claude mcp add openoxide -- /opt/openoxide mcp<");
    assert!(stdio < at("$(/opt/openoxide token)") && stdio < at(">claude mcp add --transport http"), "{front}");
    let elsewhere = server.ask(Request::get("/").extension(Identity::Person).body(Body::empty()).unwrap()).await.text();
    assert!(!elsewhere.contains("/opt/openoxide") && elsewhere.contains("claude mcp add --transport http"));
}

#[tokio::test]
async fn the_front_page_is_there_where_settings_are_wrong() {
    let context = some();
    context.tree("//- home/.openoxide/config.toml\n[permission]\nread = { x = \"maybe\" }\n");
    let server = Server::new(context);
    assert_eq!(server.post("/v1/skills/notes/activate", &json!({})).await.status, 409, "the case shows nothing");
    let front = server.get("/").await;
    assert!(front.status == 200 && front.text().contains("config.toml"), "{}", front.text());
}

#[tokio::test]
async fn the_front_page_says_what_to_do_where_nothing_is() {
    let front = Server::new(TestContext::new()).get("/").await.text();
    assert!(front.contains("None yet") && front.contains("<code>SKILL.md</code>"), "{front}");
}

/// Every reference of the document leads somewhere, and every route is in it.
#[tokio::test]
async fn the_document_is_whole() {
    let server = Server::new(some());
    let document = server.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 30, "{references:?}");
    for reference in references {
        assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    let mut names: Vec<&str> = Vec::new();
    for operation in document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values())
    {
        names.push(operation["operationId"].as_str().unwrap());
    }
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), all), (all, all), "{names:?}");
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
