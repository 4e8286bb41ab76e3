//! Skills of MCP servers that the settings name, over HTTP and over MCP.

use openoxide_server::mcp::McpOptions;
use openoxide_testkit::TestContext;
use openoxide_testkit::mcp::{Reply, ServedSkills, SkillServer};
use serde_json::json;

use crate::http::Server;
use crate::mcp::{Client, OLD, project, text};

fn docs() -> ServedSkills {
    let files: &[(&str, &[u8])] = &[("references/forms.md", b"Forms\n")];
    SkillServer::default().skill("pdf", "Reads\nforms", "The server's words.\n", files).serve_http()
}

fn with_server(context: TestContext, served: &ServedSkills) -> TestContext {
    context.tree(&format!("//- home/.openoxide/config.toml\n[mcp.servers.docs]\nurl = \"{}\"\n", served.url));
    context
}

#[tokio::test]
async fn over_http_it_is_listed_asked_for_and_sent() {
    let served = docs();
    let server = Server::new(with_server(project(), &served));
    let listed = server.get("/v1/remote").await.json();
    assert_eq!((&listed["skills"][0]["name"], &listed["problems"]), (&json!("mcp:docs/pdf"), &json!([])), "{listed}");
    assert_eq!(listed["skills"][0]["allowed"], false);

    let came = server.post("/v1/skills/mcp%3Adocs%2Fpdf/activate", &json!({})).await;
    assert_eq!(came.status, 202, "{}", came.text());
    let waiting = came.json();
    assert_eq!((&waiting["question"]["kind"], &waiting["question"]["subject"]), (&json!("remote"), &json!("docs")));
    assert!(!served.seen().iter().any(|asked| asked.starts_with("resources/read")), "nothing before the yes");

    let answer = format!("/v1/activations/{}", waiting["handle"].as_str().unwrap());
    let came = server.post(&answer, &json!({"answer": "once"})).await;
    assert_eq!(came.status, 200, "{}", came.text());
    let sent = came.json();
    let said = sent["messages"][0]["text"].as_str().unwrap();
    assert!(said.contains("The server's words.") && said.contains("mcp:docs"), "{said}");

    // Its files are read after the same question; a yes for good holds for them all.
    let file = "/v1/skills/mcp%3Adocs%2Fpdf/files/references/forms.md";
    let came = server.get(file).await;
    assert_eq!((came.status.as_u16(), &came.json()["question"]["kind"]), (202, &json!("remote")), "{}", came.text());
    let answer = format!("/v1/activations/{}", came.json()["handle"].as_str().unwrap());
    let came = server.post(&answer, &json!({"answer": "always"})).await;
    assert_eq!((came.status.as_u16(), came.text().as_str()), (200, "Forms\n"));
    let came = server.get(file).await;
    assert_eq!((came.status.as_u16(), came.text().as_str()), (200, "Forms\n"));
    assert_eq!(came.header("content-security-policy"), "default-src 'none'; sandbox");
    let listed = server.get("/v1/skills/mcp%3Adocs%2Fpdf/files").await.json();
    let names: Vec<_> = listed["items"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["SKILL.md", "references/forms.md"], "{listed}");
    for (path, status) in
        [("pdf/files/..%2f..%2fetc%2fpasswd", 422), ("pdf/files/none.md", 422), ("none/files/SKILL.md", 404)]
    {
        let came = server.get(&format!("/v1/skills/mcp%3Adocs%2F{path}")).await;
        assert_eq!(came.status.as_u16(), status, "{path}: {}", came.text());
    }

    // A name without the prefix is the project's own.
    let own = server.post("/v1/skills/pdf/activate", &json!({})).await;
    assert!(own.status == 200 && !own.text().contains("The server's words."), "{}", own.text());
    let unknown = server.post("/v1/skills/mcp%3Adocs%2Fnothing/activate", &json!({})).await;
    assert_eq!(unknown.status, 404, "{}", unknown.text());
}

#[tokio::test]
async fn over_mcp_it_is_named_asked_for_and_read() {
    let served = docs();
    let context = with_server(project(), &served);
    let forms = json!({ "elicitation": { "form": {} } });
    let mut client = Client::with(&context, OLD, &[], McpOptions::default(), forms).await;
    let tools = client.ok("tools/list", json!({})).await;
    let tool = tools["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "skill").unwrap();
    assert!(tool["description"].as_str().unwrap().contains("- mcp:docs/pdf: Reads forms"), "{tool}");
    assert!(tool["inputSchema"].to_string().contains("\"mcp:docs/pdf\""), "{tool}");

    let reading = json!({ "name": "mcp:docs/pdf", "path": "references/forms.md" });
    let early = client.call("skills_readResource", reading.clone()).await;
    assert!(early["isError"] == true && text(&early).contains("once the user allowed it"), "{early}");

    client.answer = Some(json!({ "action": "decline" }));
    let refused = client.call("skill", json!({ "name": "mcp:docs/pdf" })).await;
    assert!(refused["isError"] == true && text(&refused).contains("was not allowed"), "{refused}");
    client.answer = Some(json!({ "action": "accept", "content": { "answer": "session" } }));
    let sent = client.call("skill", json!({ "name": "mcp:docs/pdf" })).await;
    assert!(text(&sent).contains("The server's words."), "{sent}");
    assert_eq!(client.asked.len(), 2);
    assert_eq!(text(&client.call("skills_readResource", reading).await), "Forms\n");
    assert_eq!(client.asked.len(), 2, "a yes for the session holds");

    let mut mute = Client::new(&context, OLD).await;
    let refused = mute.call("skill", json!({ "name": "mcp:docs/pdf" })).await;
    assert!(refused["isError"] == true && text(&refused).contains("cannot ask its user"), "{refused}");
}

#[tokio::test]
async fn without_servers_there_is_nothing_to_list_and_nothing_wrong() {
    let listed = Server::new(project()).get("/v1/remote").await.json();
    assert_eq!((&listed["skills"], &listed["problems"]), (&json!([]), &json!([])), "{listed}");
}

#[tokio::test]
async fn a_server_that_is_not_there_keeps_nothing_from_working() {
    let context = project();
    context.tree("//- home/.openoxide/config.toml\n[mcp.servers.gone]\nurl = \"http://127.0.0.1:9/mcp\"\n");
    let mut client = Client::new(&context, OLD).await;
    let tools = client.ok("tools/list", json!({})).await;
    assert!(!tools.to_string().contains("mcp:gone"), "{tools}");
    assert!(text(&client.call("skill", json!({ "name": "notes" })).await).contains("# notes"));
    let server = Server::new(context);
    let listed = server.get("/v1/remote").await.json();
    assert_eq!((&listed["skills"], listed["problems"].as_array().map(Vec::len)), (&json!([]), Some(1)), "{listed}");
}

/// Returns the text of a tool's answer, which is an error.
async fn refused(client: &mut Client, tool: &str, arguments: serde_json::Value) -> String {
    let answer = client.call(tool, arguments).await;
    assert_eq!(answer["isError"], true, "{answer}");
    text(&answer)
}

#[tokio::test]
async fn what_the_model_may_not_call_it_may_not_read_either() {
    let fields = json!({ "name": "hidden", "description": "For people", "disable-model-invocation": true });
    let served = SkillServer::default()
        .skill("pdf", "Reads forms", "Body\n", &[])
        .skill_with("hidden", &fields, "Body\n", &[])
        .serve_http();
    let context = with_server(project(), &served);
    let settings = ["permission.skill.\"mcp:docs/pdf\"=\"deny\""];
    let mut client = Client::with(&context, OLD, &settings, McpOptions::default(), json!({})).await;
    let read = |name: &str| json!({ "name": format!("mcp:docs/{name}"), "path": "SKILL.md" });
    let unknown = refused(&mut client, "skills_readResource", read("zzz")).await;
    for name in ["pdf", "hidden"] {
        let told = refused(&mut client, "skills_readResource", read(name)).await;
        assert_eq!(told.replace(name, "zzz"), unknown);
    }
    assert!(!served.seen().iter().any(|asked| asked.starts_with("resources/read")), "{:?}", served.seen());
}

#[tokio::test]
async fn a_server_that_hangs_holds_up_nobody_else() {
    let served = SkillServer::default().twisted(|_, _, _| Some(Reply::Silence)).serve_http();
    let context = with_server(project(), &served);
    let mut client = Client::new(&context, OLD).await;
    let calling = json!({ "name": "skill", "arguments": { "name": "mcp:docs/pdf" } });
    client.begin("tools/call", calling).await;
    let reading = json!({ "name": "skills_readResource", "arguments": { "name": "mcp:docs/pdf", "path": "a.md" } });
    client.begin("tools/call", reading).await;
    let own = client.call("skill", json!({ "name": "notes" }));
    let own = tokio::time::timeout(std::time::Duration::from_secs(10), own).await.expect("the conversation is free");
    assert!(text(&own).contains("# notes"), "{own}");
}

#[tokio::test]
async fn over_http_the_model_is_not_told_of_what_it_may_not_call() {
    let fields = json!({ "name": "hidden", "description": "For people", "disable-model-invocation": true });
    let served = SkillServer::default().skill_with("hidden", &fields, "Body\n", &[]).serve_http();
    let server = Server::new(with_server(project(), &served));
    let mut told = Vec::new();
    for name in ["hidden", "hiddem"] {
        let called = server.post(&format!("/v1/skills/mcp%3Adocs%2F{name}/activate"), &json!({"as": "model"})).await;
        let read = server.get(&format!("/v1/skills/mcp%3Adocs%2F{name}/files/SKILL.md?as=model")).await;
        assert_eq!((called.status.as_u16(), read.status.as_u16()), (404, 404), "{} {}", called.text(), read.text());
        told.push([called, read].map(|came| came.text().replace(name, "NAME")));
    }
    assert_eq!(told[0], told[1], "one that it may not call is as unknown as one that is not there");
}

/// A server with three skills of one name. Of them, the model may call the one in `c`, and none but people the one in `a`.
fn of_one_name() -> ServedSkills {
    let fields = json!({ "name": "pdf", "description": "For people", "disable-model-invocation": true });
    let server = SkillServer::default().skill_with("a/pdf", &fields, "Body\n", &[]);
    server.skill("b/pdf", "Denied", "Body\n", &[]).skill("c/pdf", "Reads forms", "Body\n", &[]).serve_http()
}

const DENIED: &str = "[permission.skill]\n\"mcp:docs/b/*\" = \"deny\"\n";

#[tokio::test]
async fn a_name_that_several_have_tells_the_model_of_none_that_it_may_not_call() {
    let served = of_one_name();
    let context = project();
    let with = |rules: &str| {
        let settings = format!("[mcp.servers.docs]\nurl = \"{}\"\n{rules}", served.url);
        context.tree(&format!("//- home/.openoxide/config.toml\n{settings}"));
    };
    let reading = json!({ "name": "mcp:docs/pdf", "path": "SKILL.md" });

    // Only one of them is there for the model.
    with(DENIED);
    let mut client = Client::new(&context, OLD).await;
    for (tool, arguments) in [("skills_readResource", reading.clone()), ("skill", json!({ "name": "mcp:docs/pdf" }))] {
        let told = refused(&mut client, tool, arguments).await;
        assert!(!told.contains("several") && !told.contains("a/pdf") && !told.contains("b/pdf"), "{told}");
    }

    // None is.
    with(&DENIED.replace("/b/", "/"));
    let mut client = Client::new(&context, OLD).await;
    let none =
        refused(&mut client, "skills_readResource", json!({ "name": "mcp:docs/none", "path": "SKILL.md" })).await;
    assert_eq!(refused(&mut client, "skills_readResource", reading).await.replace("pdf", "none"), none);
    let server = Server::new(context);
    let file = "/v1/skills/mcp%3Adocs%2Fpdf/files/SKILL.md";
    let read = server.get(&format!("{file}?as=model")).await;
    let called = server.post("/v1/skills/mcp%3Adocs%2Fpdf/activate", &json!({ "as": "model" })).await;
    for came in [read, called] {
        assert_eq!(came.status.as_u16(), 404, "{}", came.text());
        assert!(!came.text().contains("a/pdf") && !came.text().contains("several"), "{}", came.text());
    }
    let user = server.get(file).await;
    assert_eq!(user.status.as_u16(), 409, "{}", user.text());
    assert!(user.text().contains("mcp:docs/a/pdf") && user.text().contains("mcp:docs/b/pdf"), "{}", user.text());
}

#[tokio::test]
async fn over_http_the_one_that_the_model_may_call_is_asked_about() {
    let served = of_one_name();
    let context = project();
    let settings = format!("[mcp.servers.docs]\nurl = \"{}\"\n{DENIED}", served.url);
    context.tree(&format!("//- home/.openoxide/config.toml\n{settings}"));
    let server = Server::new(context);
    let came = server.get("/v1/skills/mcp%3Adocs%2Fpdf/files/SKILL.md?as=model").await;
    assert_eq!(came.status.as_u16(), 202, "{}", came.text());
    assert!(came.text().contains("c/pdf") && !came.text().contains("a/pdf"), "{}", came.text());
}
