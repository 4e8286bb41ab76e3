//! One mistake has one word, whichever face it is made at.

use openoxide_server::mcp::McpOptions;
use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::http::Server;
use crate::mcp::{Client, OLD};
use crate::rpc::Rpc;

/// A project with a rule that denies reading one skill, and one that asks about another.
const TREE: &str = "//- project/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills in forms\n---\nFill.\n\
     //- project/.agents/skills/notes/SKILL.md\n---\nname: notes\ndescription: Takes notes\n---\nNote.\n\
     //- project/.agents/skills/kept/SKILL.md\n---\nname: kept\ndescription: Keeps\n---\nKeep.\n\
     //- home/.openoxide/config.toml\n[permission.read]\n\"notes/*\" = \"deny\"\n\"kept/*\" = \"ask\"\n";
/// The same with a rule that cannot be read.
const BAD_RULE: &str = "//- project/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills in forms\n---\nFill.\n\
     //- home/.openoxide/config.toml\n[permission]\nread = { x = \"maybe\" }\n";

/// A mistake, as it is made over HTTP and over JSON-RPC, and its word.
struct Mistake {
    word: &'static str,
    tree: &'static str,
    host: Option<&'static str>,
    http: (&'static str, &'static str),
    rpc: (&'static str, Value),
}

fn mistakes() -> Vec<Mistake> {
    let plain = |word, http, rpc| Mistake { word, tree: TREE, host: None, http, rpc };
    vec![
        plain("unknown", ("POST", "/v1/skills/nosuch/disable"), ("skills/disable", json!({ "skill": "nosuch" }))),
        plain("unknown", ("POST", "/v1/skills/nosuch/activate"), ("skills/activate", json!({ "skill": "nosuch" }))),
        plain(
            "not-found",
            ("GET", "/v1/skills/pdf/files/no.md"),
            ("skills/read", json!({ "skill": "pdf", "path": "no.md" })),
        ),
        plain(
            "forbidden",
            ("GET", "/v1/skills/notes/files/SKILL.md"),
            ("skills/read", json!({ "skill": "notes", "path": "SKILL.md" })),
        ),
        plain(
            "forbidden",
            ("GET", "/v1/skills/notes/files"),
            ("skills/read", json!({ "skill": "notes", "list": true })),
        ),
        plain("no-folder", ("GET", "/v1/prompt?directory=/no/such"), ("skills/prompt", json!({ "cwd": "/no/such" }))),
        Mistake {
            word: "foreign-settings",
            tree: TREE,
            host: Some("codex"),
            http: ("POST", "/v1/skills/pdf/disable?host=codex"),
            rpc: ("skills/disable", json!({ "skill": "pdf" })),
        },
        Mistake {
            word: "bad-rule",
            tree: BAD_RULE,
            host: None,
            http: ("POST", "/v1/skills/pdf/activate"),
            rpc: ("skills/activate", json!({ "skill": "pdf" })),
        },
    ]
}

/// Finds the word in an answer of JSON-RPC: in its error, or in what it refuses.
fn rpc_word(answer: &Value) -> &str {
    let places = [
        &answer["error"]["data"]["problem"],
        &answer["result"]["refused"]["problem"],
        &answer["result"]["refused"][0]["why"],
    ];
    places.into_iter().find_map(Value::as_str).unwrap_or_else(|| panic!("no word: {answer}"))
}

#[tokio::test]
async fn http_and_json_rpc_say_the_same_word() {
    for Mistake { word, tree, host, http: (method, path), rpc: (call, params) } in mistakes() {
        let context = TestContext::new();
        context.tree(tree);
        let server = Server::new(context);
        let came = match method {
            "GET" => server.get(path).await,
            _ => server.post(path, &json!({})).await,
        };
        assert_eq!(came.json()["error"]["code"], word, "{path}: {}", came.text());
        let mut rpc = Rpc::start(host, tree).await;
        let answer = rpc.ask(call, params).await;
        assert_eq!(rpc_word(&answer), word, "{call}: {answer}");
    }
}

#[tokio::test]
async fn mcp_says_the_same_word_about_reading() {
    let context = TestContext::new();
    context.tree(TREE);
    for (capabilities, uri, word) in [
        (json!({}), "skill://notes/SKILL.md", "forbidden"),
        (json!({}), "skill://kept/SKILL.md", "not-asked"),
        (json!({ "elicitation": { "form": {} } }), "skill://kept/SKILL.md", "rejected"),
    ] {
        let mut client = Client::with(&context, OLD, &[], McpOptions::default(), capabilities).await;
        client.answer = Some(json!({ "action": "decline" }));
        let error = client.error("resources/read", json!({ "uri": uri })).await;
        assert_eq!(error["data"]["problem"], word, "{error}");
    }
    let mut rpc = Rpc::start(None, TREE).await;
    let unasked = rpc.ask("skills/read", json!({ "skill": "kept" })).await;
    assert_eq!(rpc_word(&unasked), "not-asked", "{unasked}");
}
