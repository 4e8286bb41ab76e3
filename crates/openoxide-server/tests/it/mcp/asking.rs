//! Questions to the user, by forms.

use openoxide_server::mcp::McpOptions;
use serde_json::{Value, json};

use super::{Client, NEW, OLD, project, text};

const ASK: &[&str] = &["permission.skill.\"pdf\"=\"ask\""];

async fn client(version: &'static str, settings: &[&str], can_ask: bool) -> (openoxide_testkit::TestContext, Client) {
    let context = project();
    let capabilities = if can_ask { json!({ "elicitation": { "form": {} } }) } else { json!({}) };
    let client = Client::with(&context, version, settings, McpOptions::default(), capabilities).await;
    (context, client)
}

fn says(word: &str) -> Value {
    json!({ "action": "accept", "content": { "answer": word } })
}

#[tokio::test]
async fn who_cannot_be_asked_is_refused_with_the_reason() {
    for version in [OLD, NEW] {
        let (_context, mut client) = client(version, ASK, false).await;
        let refused = client.call("skill", json!({ "name": "pdf" })).await;
        assert_eq!(refused["isError"], true);
        let said = text(&refused);
        assert!(said.contains("calling `pdf` was not allowed"), "{said}");
        assert!(said.contains("this client cannot ask its user"), "{said}");
        assert!(client.asked.is_empty());
        let read = client.error("resources/read", json!({ "uri": "skill://pdf/SKILL.md" })).await;
        assert!(read["message"].as_str().unwrap().contains("needs the user's yes"), "{read}");
        assert!(text(&client.call("skill", json!({ "name": "notes" })).await).contains("# notes"));
    }
}

#[tokio::test]
async fn a_client_of_the_older_kind_is_asked_while_it_waits() {
    let (_context, mut client) = client(OLD, ASK, true).await;
    client.answer = Some(says("no"));
    let refused = client.call("skill", json!({ "name": "pdf" })).await;
    assert!(refused["isError"] == true && text(&refused).contains("was not allowed"), "{refused}");
    let asked = &client.asked[0];
    assert_eq!(asked["method"], "elicitation/create");
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("The model wants to use the skill `pdf`.\nFrom /"), "{message}");
    assert_eq!(asked["params"]["requestedSchema"]["required"], json!(["answer"]));

    for (answer, asked) in [(json!({ "action": "cancel" }), 2), (json!({ "action": "decline" }), 3)] {
        client.answer = Some(answer);
        assert_eq!(client.call("skill", json!({ "name": "pdf" })).await["isError"], true);
        assert_eq!(client.asked.len(), asked);
    }
    client.answer = Some(says("once"));
    assert!(text(&client.call("skill", json!({ "name": "pdf" })).await).contains("# pdf"));
    client.answer = Some(says("session"));
    client.call("skill", json!({ "name": "pdf" })).await;
    assert_eq!(client.asked.len(), 5, "once is once");
    client.answer = Some(says("no"));
    assert!(client.call("skill", json!({ "name": "pdf" })).await["isError"] != true);
    client.ok("resources/read", json!({ "uri": "skill://pdf/SKILL.md" })).await;
    assert_eq!(client.asked.len(), 5, "an answer for the conversation is remembered");
}

#[tokio::test]
async fn a_client_that_brings_no_answer_is_told_so() {
    let (_context, mut client) = client(OLD, ASK, true).await;
    let refused = client.call("skill", json!({ "name": "pdf" })).await;
    assert!(text(&refused).contains("the client did not bring an answer"), "{refused}");
}

/// Calls with what an earlier result asked for.
fn again(asked: &Value, answer: &Value) -> Value {
    json!({
        "name": "skill", "arguments": { "name": "pdf" },
        "requestState": asked["requestState"], "inputResponses": { "answer": answer },
    })
}

#[tokio::test]
async fn a_client_of_the_newer_kind_comes_again_with_the_answer() {
    let (_context, mut client) = client(NEW, ASK, true).await;
    let asked = client.call("skill", json!({ "name": "pdf" })).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let request = &asked["inputRequests"]["answer"];
    assert_eq!(request["method"], "elicitation/create");
    let message = request["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("The model wants to use the skill `pdf`.\nFrom /"), "{message}");

    // Without an answer, the question stays.
    let params = json!({ "name": "skill", "arguments": { "name": "pdf" }, "requestState": asked["requestState"] });
    let asked = client.ok("tools/call", params).await;
    assert_eq!(asked["resultType"], "input_required");
    // Another request, and a state that nobody gave.
    let mut other = again(&asked, &says("once"));
    other["arguments"]["name"] = json!("notes");
    assert_eq!(client.error("tools/call", other).await["code"], -32602);
    let forged = again(&json!({ "requestState": "AAAA" }), &says("once"));
    assert_eq!(client.error("tools/call", forged).await["code"], -32602);

    let loaded = client.ok("tools/call", again(&asked, &says("once"))).await;
    assert!(text(&loaded).contains("# pdf") && loaded["resultType"] == "complete", "{loaded}");
    let twice = client.error("tools/call", again(&asked, &says("once"))).await;
    assert_eq!(twice["code"], -32602, "an answer counts once");

    let asked = client.call("skill", json!({ "name": "pdf" })).await;
    let refused = client.ok("tools/call", again(&asked, &says("no"))).await;
    assert_eq!(refused["isError"], true);
}

#[tokio::test]
async fn reading_a_file_is_asked_too() {
    let settings = ["permission.read.\"pdf/*\"=\"ask\""];
    let (_context, mut old) = client(OLD, &settings, true).await;
    let uri = json!({ "uri": "skill://pdf/references/tables.md" });
    old.answer = Some(says("no"));
    assert!(old.error("resources/read", uri.clone()).await["message"].as_str().unwrap().contains("did not allow"));
    old.answer = Some(says("once"));
    assert_eq!(old.ok("resources/read", uri.clone()).await["contents"][0]["text"], "Tables\n");
    assert_eq!(old.asked.len(), 2);

    let (_context, mut new) = client(NEW, &settings, true).await;
    let asked = new.ok("resources/read", uri.clone()).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let mut again = uri;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({ "answer": says("once") });
    assert_eq!(new.ok("resources/read", again).await["contents"][0]["text"], "Tables\n");
    let denied = ["permission.read.\"pdf/*\"=\"deny\""];
    let (_context, mut client) = client(OLD, &denied, true).await;
    client.error("resources/read", json!({ "uri": "skill://pdf/references/tables.md" })).await;
    assert!(client.asked.is_empty());
}

/// Changes the user's rules, and waits until the server follows them.
async fn deny(context: &openoxide_testkit::TestContext, client: &mut Client, rules: &str) {
    context.tree(&format!("//- home/.openoxide/config.toml\n{rules}"));
    for _ in 0..500 {
        if client.request("skills/get", json!({ "uri": "skill://pdf/SKILL.md" })).await.get("error").is_some() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the rules are ignored");
}

/// Reads until a response comes, past notifications of what changed.
async fn response(client: &mut Client) -> Value {
    loop {
        let message = client.read().await;
        if !message["id"].is_null() {
            return message;
        }
    }
}

/// A new rule that denies overrides the answer to a question that was asked before the rule was written.
#[tokio::test]
async fn an_old_question_does_not_undo_a_new_rule() {
    let call = ("tools/call", json!({ "name": "skill", "arguments": { "name": "pdf" } }));
    let read = ("resources/read", json!({ "uri": "skill://pdf/references/tables.md" }));
    let list = ("resources/directory/read", json!({ "uri": "skill://pdf" }));
    let skill = "[permission.skill]\npdf = \"deny\"\n";
    let file = "[permission.read]\n\"pdf/*\" = \"deny\"\n";
    for ((method, params), rules, said) in [
        (call.clone(), skill, "no skill is called `pdf`"),
        (read.clone(), skill, "no file of a skill"),
        (read, file, "a permission rule"),
        (list.clone(), skill, "is not a folder"),
        (list, file, "a permission rule"),
    ] {
        for version in [OLD, NEW] {
            let (context, mut client) = client(version, &[], true).await;
            context.tree("//- home/.openoxide/config.toml\n[permission]\nskill = \"ask\"\n");
            client.begin(method, params.clone()).await;
            // The rules above may not be seen yet, so the question is waited for.
            let mut asked = client.read().await;
            while asked["method"] != "elicitation/create" && asked["result"]["resultType"] != "input_required" {
                assert!(asked["id"].is_null() || asked["result"].is_object(), "{asked}");
                if !asked["id"].is_null() {
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                    client.begin(method, params.clone()).await;
                }
                asked = client.read().await;
            }
            deny(&context, &mut client, rules).await;
            let answer = if version == OLD {
                client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": says("once") })).await;
                response(&mut client).await
            } else {
                let mut again = params.clone();
                again["requestState"] = asked["result"]["requestState"].clone();
                again["inputResponses"] = json!({ "answer": says("once") });
                client.request(method, again).await
            };
            let text = answer.to_string();
            assert!(text.contains(said) && !text.contains("# pdf") && !text.contains("Tables"), "{version}: {answer}");
        }
    }
}

/// A model reads the error, so that it repeats nothing of a rule that cannot be used.
#[tokio::test]
async fn a_rule_that_is_not_usable_is_not_repeated() {
    for version in [OLD, NEW] {
        let (context, mut client) = client(version, &[], false).await;
        deny(&context, &mut client, "[permission.skill]\nhidden-rule = \"hidden-word\"\n").await;
        for (method, params) in [
            ("tools/list", json!({})),
            ("tools/call", json!({ "name": "skill", "arguments": { "name": "pdf" } })),
            ("resources/list", json!({})),
            ("prompts/list", json!({})),
        ] {
            let answer = client.request(method, params).await.to_string();
            assert!(answer.contains("the user's permission rules cannot be used"), "{version} {method}: {answer}");
            assert!(!answer.contains("hidden-") && !answer.contains("config.toml"), "{version} {method}: {answer}");
        }
    }
}

/// What changed meanwhile and does not matter to the question does not take the answer away.
#[tokio::test]
async fn an_answer_counts_after_something_else_changed() {
    for version in [OLD, NEW] {
        let (context, mut client) = client(version, ASK, true).await;
        let params = json!({ "name": "skill", "arguments": { "name": "pdf" } });
        client.begin("tools/call", params).await;
        let asked = client.read().await;
        context.skill("fresh", "Came later");
        let uri = json!({ "uri": "skill://fresh/SKILL.md" });
        while client.request("skills/get", uri.clone()).await.get("error").is_some() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        let loaded = if version == OLD {
            client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": says("once") })).await;
            response(&mut client).await["result"].take()
        } else {
            client.ok("tools/call", again(&asked["result"], &says("once"))).await
        };
        assert!(text(&loaded).contains("# pdf"), "{loaded}");
        assert!(client.asked.is_empty(), "it is asked once");
    }
}

#[tokio::test]
async fn listing_a_folder_is_asked_too() {
    let settings = ["permission.read.\"pdf/*\"=\"ask\""];
    let uri = json!({ "uri": "skill://pdf/references" });
    let (_context, mut old) = client(OLD, &settings, true).await;
    old.answer = Some(says("no"));
    assert_eq!(old.error("resources/directory/read", uri.clone()).await["data"]["problem"], "rejected");
    old.answer = Some(says("once"));
    let listed = old.ok("resources/directory/read", uri.clone()).await;
    assert_eq!(super::field(&listed["resources"], "name"), ["a b.md", "tables.md"]);

    let (_context, mut new) = client(NEW, &settings, true).await;
    let asked = new.ok("resources/directory/read", uri.clone()).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let mut again = uri.clone();
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({ "answer": says("once") });
    let listed = new.ok("resources/directory/read", again).await;
    assert_eq!(super::field(&listed["resources"], "name"), ["a b.md", "tables.md"]);

    let (_context, mut mute) = client(OLD, &settings, false).await;
    assert_eq!(mute.error("resources/directory/read", uri).await["data"]["problem"], "not-asked");
}

#[tokio::test]
async fn a_command_is_shown_whole_before_it_runs() {
    let context = project();
    context.tree(
        "//- project/.agents/skills/shell/SKILL.md\n---\nname: shell\ndescription: Runs\n---\nNow: !`echo it-ran`\n",
    );
    let capabilities = json!({ "elicitation": {} });
    let mut client = Client::with(&context, OLD, &[], McpOptions::default(), capabilities).await;
    client.answer = Some(says("no"));
    let loaded = client.call("skill", json!({ "name": "shell" })).await;
    let message = client.asked[0]["params"]["message"].as_str().unwrap();
    assert!(message.contains("wants to run commands before the model reads it:\n    echo it-ran\n"), "{message}");
    assert!(message.contains("sha256:"), "{message}");
    assert!(!text(&loaded).contains("Now: it-ran"), "{loaded}");
}

#[tokio::test]
async fn every_no_to_a_reading_is_noted() {
    let settings = ["permission.read.\"pdf/*\"=\"ask\"", "permission.read.\"notes/*\"=\"deny\""];
    let (context, mut mute) = client(OLD, &settings, false).await;
    mute.error("resources/read", json!({ "uri": "skill://pdf/references/tables.md" })).await;
    mute.error("resources/read", json!({ "uri": "skill://notes/SKILL.md" })).await;
    let forms = json!({ "elicitation": { "form": {} } });
    let mut client = Client::with(&context, OLD, &settings, McpOptions::default(), forms).await;
    client.answer = Some(says("no"));
    client.error("resources/read", json!({ "uri": "skill://pdf/references/tables.md" })).await;
    client.answer = Some(says("once"));
    client.ok("resources/read", json!({ "uri": "skill://pdf/references/tables.md" })).await;
    let lines = super::audited(&context, 4).await;
    let mut said: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {} {} {}", line["skill"], line["part"], line["decision"], line["why"]).replace('"', ""))
        .collect();
    said.sort();
    let tables = "pdf references/tables.md";
    let expected = [
        "notes SKILL.md deny forbidden".to_owned(),
        format!("{tables} allow null"),
        format!("{tables} deny not-asked"),
        format!("{tables} deny rejected"),
    ];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn questions_that_wait_are_bounded() {
    let (_context, mut client) = client(OLD, ASK, true).await;
    for _ in 0..257 {
        client.begin("tools/call", json!({ "name": "skill", "arguments": { "name": "pdf" } })).await;
    }
    let (mut asked, mut answered) = (0, Vec::new());
    while asked + answered.len() < 257 {
        let message = client.read().await;
        match message.get("method") {
            Some(method) if method == "elicitation/create" => asked += 1,
            Some(_) => {}
            None => answered.push(message),
        }
    }
    assert_eq!((asked, answered.len()), (256, 1));
    assert!(text(&answered[0]["result"]).contains("too many questions wait"), "{answered:?}");
}
