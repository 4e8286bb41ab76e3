//! One question has one answer, whichever face it is asked at.

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::http::Server;
use crate::mcp::{Client, NEW, text};
use crate::rpc::Rpc;

/// A skill with an image, a page, a script, and bytes whose name says that they are text.
const FILES: &str = "//- project/.agents/skills/img/SKILL.md\n---\nname: img\ndescription: Draws\n---\nDraw.\n\
     //- project/.agents/skills/img/a.png escaped\n\\x89PNG\\x00\\xff\n\
     //- project/.agents/skills/img/page.html\n<script>1</script>\n\
     //- project/.agents/skills/img/run.py\npass\n\
     //- project/.agents/skills/img/false.md escaped\n\\x00\\xff\n";

fn laid(tree: &str) -> TestContext {
    let context = TestContext::new();
    context.tree(tree);
    context
}

#[tokio::test]
async fn a_file_has_one_media_type() {
    // A host with a table of its own sends other texts as plain ones.
    let hosts = [(None, "text/x-python", "text/html"), (Some("omp"), "text/plain", "text/plain")];
    for (host, script, page) in hosts {
        let config =
            host.map(|host| format!("//- home/.openoxide/config.toml\nhost = \"{host}\"\n")).unwrap_or_default();
        let tree = format!("{FILES}{config}");
        let (server, context) = (Server::new(laid(&tree)), laid(&tree));
        let mut mcp = Client::new(&context, NEW).await;
        let mut rpc = Rpc::start(None, &tree).await;
        let cases = [
            ("a.png", "image/png"),
            ("page.html", page),
            ("run.py", script),
            ("false.md", "application/octet-stream"),
            ("SKILL.md", "text/markdown"),
        ];
        for (path, expected) in cases {
            let of_file = server.get(&format!("/v1/skills/img/files/{path}")).await;
            let published = server.get(&format!("/.well-known/agent-skills/img/{path}")).await;
            for came in [&of_file, &published] {
                let kind = came.header("content-type");
                assert_eq!(kind.trim_end_matches("; charset=utf-8"), expected, "{host:?} {path} {}", came.status);
                assert_eq!(came.header("content-security-policy"), "default-src 'none'; sandbox");
                assert_eq!(came.header("x-content-type-options"), "nosniff");
            }
            let read = mcp.ok("resources/read", json!({ "uri": format!("skill://img/{path}") })).await;
            assert_eq!(read["contents"][0]["mimeType"], expected, "{host:?} {path}");
            let read = json!({ "skill": "img", "path": path, "base64": true });
            let read = rpc.ask("skills/read", read).await["result"].take();
            assert_eq!(read["content_type"], expected, "{host:?} {path}");
            if !matches!(path, "a.png" | "false.md") {
                let read = rpc.ask("skills/read", json!({ "skill": "img", "path": path })).await["result"].take();
                assert_eq!(read["content_type"], expected, "{host:?} {path}: as text");
            }
        }
    }
}

/// A person who looks at a project finds every skill; the model finds what it may call.
#[tokio::test]
async fn a_search_ranks_the_same_and_tells_the_model_only_what_it_may_call() {
    let skill = |name: &str, more: &str| {
        format!(
            "//- project/.agents/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: Fills in forms\n{more}---\n"
        )
    };
    let mut tree = "//- home/.openoxide/config.toml\n[permission.skill]\ndenied = \"deny\"\n".to_owned();
    tree += &(skill("denied", "")
        + &skill("mine", "disable-model-invocation: true\n")
        + &skill("theirs", "user-invocable: false\n"));
    for number in 10..22 {
        tree += &skill(&format!("form-{number}"), "");
    }
    let names = |answer: &Value| -> Vec<String> {
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["name"].as_str().unwrap().to_owned()).collect()
    };
    let server = Server::new(laid(&tree));
    let all = names(&server.get("/v1/search?q=forms").await.json());
    assert_eq!(all.len(), 14, "{all:?}");
    let context = laid(&tree);
    let mut mcp = Client::new(&context, NEW).await;
    let told = text(&mcp.call("skills_search", json!({ "query": "forms" })).await);
    let told: Vec<&str> = told.lines().map(|line| line.trim_start_matches("- ").split(':').next().unwrap()).collect();
    let kept: Vec<&str> = all.iter().map(String::as_str).filter(|name| *name != "mine").collect();
    assert_eq!(told, kept[..10]);
    for (query, found) in [("denied", &[][..]), ("mine", &["mine"])] {
        assert_eq!(names(&server.get(&format!("/v1/search?q={query}")).await.json()), found);
        let told = text(&mcp.call("skills_search", json!({ "query": query })).await);
        assert!(told.starts_with("No skill matches."), "{told}");
    }
}
