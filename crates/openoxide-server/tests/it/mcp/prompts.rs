//! Skills as prompts.

use serde_json::json;

use super::{Client, NEW, OLD, field, project};

#[tokio::test]
async fn what_a_user_may_call_is_a_prompt() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        let prompts = client.ok("prompts/list", json!({})).await["prompts"].take();
        assert_eq!(
            field(&prompts, "name"),
            ["Odd_Name", "greet", "hidden", "notes", "pdf"],
            "without what is for models"
        );
        let greet = &prompts[1];
        assert_eq!(field(&greet["arguments"], "name"), ["who", "how"]);
        assert_eq!(greet["arguments"][0]["description"], "WHO HOW");
        assert_eq!(field(&prompts[4]["arguments"], "name"), ["arguments"]);

        let said = |got: &serde_json::Value| got["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
        let arguments = json!({ "who": "Ada Lovelace", "how": "warmly" });
        let got = client.ok("prompts/get", json!({ "name": "greet", "arguments": arguments })).await;
        assert!(said(&got).contains("Greet Ada Lovelace warmly."), "{got}");
        assert_eq!(got["messages"][0]["role"], "user");
        let got = client.ok("prompts/get", json!({ "name": "hidden" })).await;
        assert!(said(&got).contains("For people."));
        let got = client.ok("prompts/get", json!({ "name": "pdf", "arguments": { "arguments": "a 'b c'" } })).await;
        assert!(said(&got).contains("ARGUMENTS: a 'b c'"), "{got}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_prompt_is_an_error_of_the_parameters() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    for params in [
        json!({ "name": "zzz" }),
        json!({ "name": "quiet" }),
        json!({ "name": "greet", "arguments": { "zzz": "1" } }),
        json!({ "name": "greet", "arguments": { "who": 5 } }),
    ] {
        assert_eq!(client.error("prompts/get", params.clone()).await["code"], -32602, "{params}");
    }
    let argument = json!({ "name": "who", "value": "A" });
    let known = json!({ "ref": { "type": "ref/prompt", "name": "greet" }, "argument": argument });
    assert_eq!(client.ok("completion/complete", known).await["completion"]["values"], json!([]));
    let unknown = json!({ "ref": { "type": "ref/prompt", "name": "zzz" }, "argument": argument });
    assert_eq!(client.error("completion/complete", unknown).await["code"], -32602);
}

/// Claude Code gives each argument one word of what its user types, and drops what is left.
#[tokio::test]
async fn a_client_that_sends_word_by_word_loses_no_word() {
    let context = project();
    let claude = ("claude-code", "2.1.240");
    for version in [OLD, NEW] {
        let mut client = Client::named(&context, version, claude, &[]).await;
        let prompts = client.ok("prompts/list", json!({})).await["prompts"].take();
        let names = |at: usize| field(&prompts[at]["arguments"], "name");
        assert_eq!((names(1).len(), &names(1)[..3]), (100, &["who", "how", "3"].map(str::to_owned)[..]));
        assert_eq!(&names(4)[..2], ["arguments", "2"]);
        let mut get = async |at: usize, typed: &str| {
            let words = names(at).into_iter().zip(typed.split_whitespace().map(str::to_owned));
            let arguments: std::collections::BTreeMap<String, String> = words.collect();
            let params = json!({ "name": prompts[at]["name"], "arguments": arguments });
            let got = client.ok("prompts/get", params).await;
            got["messages"]
                .as_array()
                .unwrap()
                .iter()
                .map(|message| message["content"]["text"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
                .join("\n")
        };
        let said = get(4, "fill in  the \"second form\", please").await;
        assert!(said.contains("ARGUMENTS: fill in the \"second form\", please"), "{said}");
        let said = get(1, "\"Ada Lovelace\" warmly").await;
        assert!(said.contains("Greet Ada Lovelace warmly."), "{said}");
        let long: Vec<String> = (0..150).map(|number| format!("w{number}")).collect();
        let said = get(4, &long.join(" ")).await;
        assert!(said.contains("w99") && said.contains("only the first 100 words after the name arrive"), "{said}");
        let said = get(4, &long[..99].join(" ")).await;
        assert!(said.contains("w98") && !said.contains("only the first"), "{said}");
    }
    let mut other = Client::new(&context, OLD).await;
    let prompts = other.ok("prompts/list", json!({})).await;
    assert_eq!(field(&prompts["prompts"][1]["arguments"], "name"), ["who", "how"]);
}
