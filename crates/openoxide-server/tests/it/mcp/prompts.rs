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
