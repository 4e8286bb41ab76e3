//! Tools.

use openoxide_server::mcp::{McpOptions, ToolNames};
use serde_json::json;

use super::{Client, NEW, OLD, field, project, text};

#[tokio::test]
async fn skills_are_loaded_read_and_found() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        let tools = client.ok("tools/list", json!({})).await["tools"].take();
        let names = ["skill", "skills_readResource", "skills_search", "skills_deactivate"];
        assert_eq!(field(&tools, "name"), names);
        let schema = &tools[0]["inputSchema"];
        assert_eq!(schema["properties"]["name"]["enum"], json!(["Odd_Name", "greet", "notes", "pdf", "quiet"]));
        let hints: Vec<bool> = tools
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["annotations"]["readOnlyHint"].as_bool().unwrap())
            .collect();
        assert_eq!(hints, [false, true, true, false]);

        let loaded = client.call("skill", json!({ "name": "pdf" })).await;
        assert!(text(&loaded).contains("# pdf") && loaded["isError"] != true, "{loaded}");
        assert_eq!(loaded["_meta"]["openoxide/facts"]["name"], "pdf");
        assert!(loaded.get("structuredContent").is_none(), "some clients would show it in place of the text");
        let odd = client.call("skill", json!({ "name": "Odd_Name" })).await;
        assert!(text(&odd).contains("Odd."), "a name against the standard can be called");
        let read = client.call("skills_readResource", json!({ "name": "pdf", "path": "references/tables.md" })).await;
        assert_eq!(text(&read), "Tables\n");
        let found = client.call("skills_search", json!({ "query": "forms" })).await;
        assert_eq!(text(&found), "- pdf: Fills in forms");
        let nothing = client.call("skills_search", json!({ "query": "zzz" })).await;
        assert!(text(&nothing).starts_with("No skill matches."));
        let ended = client.call("skills_deactivate", json!({ "name": "pdf" })).await;
        assert!(text(&ended).starts_with("The skill is not active any more"), "{ended}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_call_is_said_to_the_model() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    for (arguments, words) in [
        (json!({ "name": "pfd" }), "did you mean `pdf`?"),
        (json!({}), "the argument `name` is missing"),
        (json!({ "name": 5 }), "must be a text"),
        (json!({ "name": "pdf", "zzz": "1" }), "there is no argument `zzz`"),
    ] {
        let result = client.call("skill", arguments).await;
        assert!(result["isError"] == true && text(&result).contains(words), "{result}");
    }
    let error = client.error("tools/call", json!({ "name": "zzz", "arguments": {} })).await;
    assert_eq!(error["code"], -32602);
    assert_eq!(client.error("tools/list", json!({ "cursor": "zzz" })).await["code"], -32602);
}

#[tokio::test]
async fn a_name_that_is_taken_makes_way() {
    let context = project();
    let options = McpOptions { taken: vec!["skill".to_owned()], ..McpOptions::default() };
    let mut client = Client::with(&context, OLD, &[], options, json!({})).await;
    let tools = client.ok("tools/list", json!({})).await;
    assert_eq!(field(&tools["tools"], "name")[0], "pepper_skill");
    assert!(client.greeting["instructions"].as_str().unwrap().contains("call `pepper_skill`"));
    assert!(text(&client.call("pepper_skill", json!({ "name": "pdf" })).await).contains("# pdf"));
    assert!(
        text(&client.call("skills.activate", json!({ "name": "pdf" })).await).contains("pdf"),
        "it goes by that too"
    );
    let error = client.error("tools/call", json!({ "name": "skill", "arguments": { "name": "pdf" } })).await;
    assert_eq!(error["code"], -32602, "that is somebody else's");
}

#[tokio::test]
async fn names_have_dots_where_that_is_wanted() {
    let context = project();
    let taken = vec!["skill".to_owned(), "pepper_skill".to_owned()];
    let options = McpOptions { taken, names: ToolNames::Dotted };
    let mut client = Client::with(&context, OLD, &[], options, json!({})).await;
    let names = field(&client.ok("tools/list", json!({})).await["tools"], "name");
    assert_eq!(names, ["skills.activate", "skills.readResource", "skills.search", "skills.deactivate"]);
    assert!(text(&client.call("skills.activate", json!({ "name": "pdf" })).await).contains("# pdf"));
}

#[tokio::test]
async fn names_are_listed_while_they_are_few() {
    let context = project();
    for number in 0..60 {
        context.skill(&format!("many-{number}"), "One of many");
    }
    let mut client = Client::new(&context, OLD).await;
    let tools = client.ok("tools/list", json!({})).await;
    assert!(tools["tools"][0]["inputSchema"]["properties"]["name"].get("enum").is_none());
}

/// What is remembered is of one conversation.
#[tokio::test]
async fn a_conversation_remembers_what_was_loaded() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    let nothing = client.call("skills_deactivate", json!({ "name": "pdf" })).await;
    assert!(nothing["isError"] == true && text(&nothing).contains("`pdf` is not active"));
    client.call("skill", json!({ "name": "pdf" })).await;
    assert!(client.call("skills_deactivate", json!({ "name": "pdf" })).await["isError"] != true);
    let mut other = Client::new(&context, OLD).await;
    assert_eq!(other.call("skills_deactivate", json!({ "name": "pdf" })).await["isError"], true);
}
