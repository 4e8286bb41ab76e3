//! Lists, one skill, its files.

use axum::body::Body;
use http::Request;
use openoxide_server::Peer;
use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use super::Server;

fn two() -> TestContext {
    let context = TestContext::new();
    context.skill("deploy", "Ship it").skill("notes", "Write notes").tree(
        "//- project/.agents/skills/notes/ref/a.md\n# A\n//- project/.agents/skills/notes/p.html\n<script>1</script>\n",
    );
    context
}

#[tokio::test]
async fn skills_are_listed_with_what_they_are_called_in_an_address() {
    let server = Server::new(two());
    let came = server.get("/v1/skills").await;
    assert_eq!(came.status, 200, "{}", came.text());
    let answer = came.json();
    assert_eq!(answer["skills"][0]["id"], "deploy");
    assert_eq!(answer["skills"][1]["description"], "Write notes");
    assert!(answer.get("others").is_none());
    assert!(server.get("/v1/skills?all=true").await.json()["others"].is_array());
    let tag = came.header("etag").to_owned();
    let again = Request::get("/v1/skills").extension(Peer::Local).header("if-none-match", &tag);
    let again = server.ask(again.body(Body::empty()).unwrap()).await;
    assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0));
    let packed = Request::get("/v1/skills").extension(Peer::Local).header("accept-encoding", "gzip");
    let packed = server.ask(packed.body(Body::empty()).unwrap()).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert_ne!(packed.header("etag"), tag);
    let again = Request::get("/v1/skills").extension(Peer::Local).header("if-none-match", packed.header("etag"));
    assert_eq!(server.ask(again.body(Body::empty()).unwrap()).await.status, 304);
}

#[tokio::test]
async fn a_skill_is_shown_and_one_that_is_not_there_is_told_with_what_is_near() {
    let server = Server::new(two());
    let came = server.get("/v1/skills/deploy").await;
    assert_eq!(came.json()["skill"]["name"], "deploy");
    let came = server.get("/v1/skills/deplo").await;
    assert_eq!(came.status, 404);
    let expected = json!({"error": {
        "code": "unknown", "level": "error", "message": "no skill is called `deplo`",
        "help": "did you mean `deploy`?", "request_id": "r1",
    }});
    assert_eq!(came.json(), expected);
}

#[tokio::test]
async fn a_name_that_two_have_is_told_by_digits() {
    let context = TestContext::new();
    context.tree(
        "//- project/.agents/skills/a/SKILL.md\n---\nname: same\ndescription: One\n---\n\
         //- project/.codex/skills/b/SKILL.md\n---\nname: same\ndescription: Two\n---\n",
    );
    let server = Server::new(context);
    let list = server.get("/v1/skills?host=codex").await.json();
    let ids: Vec<&str> = list["skills"].as_array().unwrap().iter().map(|skill| skill["id"].as_str().unwrap()).collect();
    assert!(ids.len() == 2 && ids.iter().all(|id| id.starts_with('~') && id.len() == 23), "{list}");
    assert_eq!(server.get("/v1/skills/same?host=codex").await.status, 409);
    let one = server.get(&format!("/v1/skills/{}?host=codex", ids[1])).await.json();
    assert_eq!(one["skill"]["description"], list["skills"][1]["description"]);
}

#[tokio::test]
async fn an_image_is_sent_as_one() {
    let context = two();
    let image = context.root().join("project/.agents/skills/notes/a.png");
    fs_err::write(image, [0x89, b'P', 0, 0xff]).unwrap();
    let came = Server::new(context).get("/v1/skills/notes/files/a.png").await;
    assert_eq!(came.header("content-type"), "image/png");
}

#[tokio::test]
async fn files_are_bytes_or_json_and_nothing_outside_is_read() {
    let server = Server::new(two());
    let top = server.get("/v1/skills/notes/files").await.json();
    let names: Vec<&str> = top["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ref", "p.html", "SKILL.md"]);
    let file = server.get("/v1/skills/notes/files/ref/a.md").await;
    assert_eq!((file.text().as_str(), file.header("x-content-type-options")), ("# A\n", "nosniff"));
    assert!(file.header("content-type").starts_with("text/markdown"), "{}", file.header("content-type"));
    let page = server.get("/v1/skills/notes/files/p.html").await;
    assert_eq!(page.header("content-security-policy"), "default-src 'none'; sandbox");
    let json = Request::get("/v1/skills/notes/files/ref/a.md").extension(Peer::Local);
    let json = server.ask(json.header("accept", "application/json").body(Body::empty()).unwrap()).await.json();
    assert_eq!((json["kind"].as_str(), json["text"].as_str()), (Some("file"), Some("# A\n")));
    for path in ["..%2Fdeploy%2FSKILL.md", "../deploy/SKILL.md", "%2Fetc%2Fpasswd", "~%2F.ssh"] {
        let came = server.get(&format!("/v1/skills/notes/files/{path}")).await;
        assert_eq!(came.status, 403, "{path}: {}", came.text());
    }
    assert_eq!(server.get("/v1/skills/notes/files/none.md").await.status, 404);
}

#[tokio::test]
async fn who_is_elsewhere_sees_no_absolute_path_and_names_no_folder() {
    let server = Server::new(two());
    let root = server.context.root().to_string_lossy().into_owned();
    for path in ["/v1/skills?all=true", "/v1/skills/notes", "/v1/skills/notes/files", "/v1/skills?host=codex"] {
        let here = server.get(path).await.text();
        let elsewhere = server.ask(Request::get(path).body(Body::empty()).unwrap()).await;
        assert_eq!(elsewhere.status, 200);
        assert!(!elsewhere.text().contains(&root), "{path}: {}", elsewhere.text());
        assert!(path.ends_with("files") || here.contains(&root), "{path}: the case shows nothing");
    }
    let named = format!("/v1/skills?directory={root}");
    assert_eq!(server.ask(Request::get(&named).body(Body::empty()).unwrap()).await.status, 403);
    assert_eq!(server.get(&named).await.status, 200);
}

#[tokio::test]
async fn what_is_not_known_is_refused_in_one_form() {
    let server = Server::new(two());
    let cases = [
        ("/v1/skills?al=true", 400, "bad-query"),
        ("/v1/skills?all=maybe", 400, "bad-query"),
        ("/v1/skills?all=true&all=true", 400, "bad-query"),
        ("/v1/skills?host=nobody", 404, "no-host"),
        ("/v1/skills?agent=nobody", 404, "no-agent"),
        ("/v1/skills?directory=here", 404, "no-folder"),
        ("/v1/search", 400, "bad-query"),
        ("/v1/nothing", 404, "no-route"),
        ("/v1/skills/deploy/activate", 405, "no-method"),
    ];
    for (path, status, code) in cases {
        let came = server.get(path).await;
        assert_eq!(came.status.as_u16(), status, "{path}: {}", came.text());
        assert_eq!(came.json()["error"]["code"], code, "{path}");
        assert_eq!(came.json()["error"]["request_id"], "r1", "{path}");
        assert!(came.json()["error"]["help"].is_string(), "{path}: {}", came.text());
    }
    assert_eq!(server.get("/v1/skills/deploy/activate").await.header("allow"), "POST");
    assert_eq!(server.get("/healthz").await.text(), "ok\n");
}

#[tokio::test]
async fn answers_are_as_accepted_and_say_so() {
    let context = two();
    context.tree(&format!("//- project/.agents/skills/deploy/long.md\n{}", "A line of a file.\n".repeat(100)));
    let server = Server::new(context);
    let ask = async |path: &str, name: &str, value: &str| {
        let request = Request::get(path).extension(Peer::Local).header(name, value);
        server.ask(request.body(Body::empty()).unwrap()).await
    };
    let file = "/v1/skills/deploy/files/long.md";
    for (accept, expected) in [
        ("application/json", "application/json"),
        ("APPLICATION/JSON;q=0.5", "application/json"),
        ("application/json;q=0, */*", "text/markdown; charset=utf-8"),
        ("*/*", "text/markdown; charset=utf-8"),
    ] {
        let came = ask(file, "accept", accept).await;
        assert_eq!(
            (came.header("content-type"), came.header("vary")),
            (expected, "accept, accept-encoding"),
            "{accept}"
        );
    }
    for (encoding, expected) in [
        ("gzip", "gzip"),
        ("gzip;q=0", ""),
        ("identity;q=0", ""),
        ("*;q=0", ""),
        ("*", "gzip"),
        ("identity;q=0, gzip", "gzip"),
    ] {
        let came = ask(file, "accept-encoding", encoding).await;
        assert_eq!((came.status.as_u16(), came.header("content-encoding")), (200, expected), "{encoding}");
    }
    let packed = ask("/.well-known/agent-skills/deploy.tar.gz", "accept-encoding", "gzip").await;
    assert_eq!((packed.status.as_u16(), packed.header("content-encoding")), (200, ""), "it is packed already");
    let tag = ask(file, "accept", "*/*").await.header("etag").to_owned();
    for held in [tag.clone(), format!("W/{tag}"), format!("\"a\", {tag}"), "*".to_owned()] {
        let came = ask(file, "if-none-match", &held).await;
        assert_eq!((came.status.as_u16(), came.header("vary")), (304, "accept, accept-encoding"), "{held}");
    }
    assert_eq!(ask(file, "if-none-match", "\"*\"").await.status, 200);
}

#[tokio::test]
async fn what_a_rule_asks_about_is_read_once_the_user_allows_it() {
    let context = two();
    context.tree("//- project/.agents/skills/deploy/key.md\nThe key.\n//- home/.openoxide/config.toml\n[permission]\nread = { \"deploy/key.md\" = \"ask\" }\n");
    let server = Server::new(context);
    let asked = async || {
        let came = server.get("/v1/skills/deploy/files/key.md").await;
        assert_eq!(came.status, 202, "{}", came.text());
        let waiting = came.json();
        assert_eq!(
            (&waiting["question"]["kind"], &waiting["question"]["subject"]),
            (&json!("permission"), &json!("deploy/key.md")),
            "{waiting}"
        );
        format!("/v1/activations/{}", waiting["handle"].as_str().unwrap())
    };
    let handle = asked().await;
    let unproven = Request::post(&handle).extension(Peer::Local).header("content-type", "application/json");
    let unproven = server.ask(unproven.body(Body::from("{\"answer\":\"once\"}")).unwrap()).await;
    assert_eq!((unproven.status.as_u16(), &unproven.json()["error"]["code"]), (404, &json!("no-activation")));
    let came = server.post(&handle, &json!({"answer": "once"})).await;
    assert_eq!((came.status.as_u16(), came.text().as_str()), (200, "The key.\n"));
    assert_eq!(came.header("content-security-policy"), "default-src 'none'; sandbox");
    assert_eq!(server.post(&handle, &json!({"answer": "once"})).await.status, 404, "it is answered once");

    let refused = server.post(&asked().await, &json!({"answer": "no"})).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["error"]["code"]), (403, &json!("rejected")));
    assert_eq!(server.post(&asked().await, &json!({"answer": "always"})).await.text(), "The key.\n");
    assert_eq!(server.get("/v1/skills/deploy/files/key.md").await.text(), "The key.\n", "it was allowed for good");
}

#[tokio::test]
async fn a_file_is_sent_as_it_is_now_however_it_was_changed() {
    let context = two();
    let file = context.project().join(".agents/skills/deploy/notes.md");
    fs_err::write(&file, "one\n").unwrap();
    let server = Server::new(context);
    let read = async || {
        // What has just been written is not kept.
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let first = server.get("/v1/skills/deploy/files/notes.md").await.text();
        let again = server.get("/v1/skills/deploy/files/notes.md").await.text();
        assert_eq!(first, again);
        again
    };
    assert_eq!(read().await, "one\n");
    let time = fs_err::metadata(&file).unwrap().modified().unwrap();
    fs_err::write(&file, "two\n").unwrap();
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    assert_eq!(read().await, "two\n");
    let outside = server.context.root().join("secret");
    fs_err::write(&outside, "two\n").unwrap();
    fs_err::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&outside, &file).unwrap();
    assert_eq!(server.get("/v1/skills/deploy/files/notes.md").await.status, 403, "the same bytes, but outside");
    fs_err::remove_file(&file).unwrap();
    assert_eq!(server.get("/v1/skills/deploy/files/notes.md").await.status, 404);
}

#[tokio::test]
async fn what_a_rule_keeps_from_the_model_is_listed_so() {
    let context = two();
    context.tree("//- home/.openoxide/config.toml\n[permission.skill]\ndeploy = \"deny\"\n");
    let list = Server::new(context).get("/v1/skills?host=codex").await.json();
    let models: Vec<&serde_json::Value> =
        list["skills"].as_array().unwrap().iter().map(|skill| &skill["model"]).collect();
    assert_eq!(models, [false, true], "{list}");
}

#[tokio::test]
async fn the_list_comes_in_pages_and_with_chosen_fields() {
    let context = TestContext::new();
    for number in 0..7 {
        context.skill(&format!("s{number}"), "Does it");
    }
    context.tree("//- home/.openoxide/config.toml\n[[skills.config]]\nname = \"s6\"\nenabled = false\n");
    let server = Server::new(context);
    let whole = server.get("/v1/skills?all=true").await.json();
    let ids = |answer: &Value, list: &str| -> Vec<String> {
        let lines = answer[list].as_array().map(Vec::as_slice).unwrap_or_default();
        lines.iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect()
    };
    let (mut active, mut others, mut cursor, mut pages) = (Vec::new(), Vec::new(), None::<String>, 0);
    loop {
        let after = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page = server.get(&format!("/v1/skills?all=true&limit=2{after}")).await.json();
        assert!(ids(&page, "skills").len() + ids(&page, "others").len() <= 2, "{page}");
        active.extend(ids(&page, "skills"));
        others.extend(ids(&page, "others"));
        pages += 1;
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((active.clone(), others.clone()), (ids(&whole, "skills"), ids(&whole, "others")));
    assert!(whole["others"].to_string().contains("\"s6\"") && !active.contains(&"s6".to_owned()), "{whole}");
    assert_eq!(pages, (active.len() + others.len()).div_ceil(2));
    assert_eq!(whole.get("next_cursor"), None);

    let chosen = server.get("/v1/skills?fields=name,tokens&limit=1").await.json();
    let keys: Vec<&String> = chosen["skills"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "name", "tokens"]);
    for bad in ["limit=0", "limit=10001", "limit=x", "cursor=zzz", "fields=name,zzz", "fields="] {
        let came = server.get(&format!("/v1/skills?{bad}")).await;
        assert_eq!(
            (came.status.as_u16(), &came.json()["error"]["code"]),
            (400, &serde_json::json!("bad-query")),
            "{bad}"
        );
    }
}

#[tokio::test]
async fn a_folder_may_end_with_a_slash() {
    let context = TestContext::new();
    context.skill("pdf", "Fills").tree("//- project/.agents/skills/pdf/references/a.md\nA\n");
    let server = Server::new(context);
    let names = async |path: &str| {
        let came = server.get(path).await;
        assert_eq!(came.status, 200, "{path}: {}", came.text());
        came.json()["items"].clone()
    };
    assert_eq!(names("/v1/skills/pdf/files/references/").await, names("/v1/skills/pdf/files/references").await);
    assert_eq!(names("/v1/skills/pdf/files/").await, names("/v1/skills/pdf/files").await);
}
