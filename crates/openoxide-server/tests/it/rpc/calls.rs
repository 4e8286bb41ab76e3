//! Calling and reading skills, what a text names, what the model sees, and where is looked.

use openoxide_testkit::mcp::SkillServer;
use serde_json::{Value, json};

use super::Rpc;

const TREE: &str = "\
//- project/.agents/skills/hello/SKILL.md
---
name: hello
description: says hello
---
Say hello to $ARGUMENTS.
//- project/.agents/skills/hello/notes.md
Notes.
//- project/.agents/skills/keyed/SKILL.md
---
name: keyed
description: asks first
---
Keyed text.
//- home/.openoxide/config.toml
[permission.skill]
keyed = \"ask\"
";

#[tokio::test]
async fn a_skill_with_its_arguments() {
    let mut rpc = Rpc::start(None, TREE).await;
    let sent = rpc.call("skills/activate", json!({ "skill": "hello", "arguments": "you there" })).await;
    let text = sent["messages"][0]["text"].as_str().unwrap();
    assert!(text.contains("Say hello to you there."), "{sent}");
    assert_eq!((&sent["activated"][0]["name"], &sent["activated"][0]["caller"]), (&json!("hello"), &json!("model")));
    let sent = rpc.call("skills/activate", json!({ "skill": "hello", "as": "user" })).await;
    assert_eq!(sent["activated"][0]["caller"], "user");
    let words = rpc
        .call("skills/activate", json!({ "skill": "hello", "arguments": ["a", "b"], "as": "model", "session": "s" }))
        .await;
    assert!(words["messages"][0]["text"].as_str().unwrap().contains("Say hello to a b."), "{words}");
    let turn = json!({ "items": [{ "type": "text", "text": "do $hello and $nothing" }] });
    let turned = rpc.call("skills/activate", json!({ "turn": turn, "session": "t" })).await;
    assert_eq!((&turned["activated"][0]["name"], &turned["ignored"][0]["text"]), (&json!("hello"), &json!("$nothing")));
    assert_eq!(turned["activated"][0]["caller"], "model", "a model may have written it");
    let turned = rpc.call("skills/activate", json!({ "turn": turn, "as": "user" })).await;
    assert_eq!(turned["activated"][0]["caller"], "user");
    let long = json!({ "skill": "hello", "session": "x".repeat(257) });
    assert_eq!(rpc.refused("skills/activate", long).await["code"], -32602);
    let unknown = rpc.call("skills/activate", json!({ "skill": "hallo" })).await;
    assert_eq!((&unknown["refused"][0]["why"], unknown["activated"].as_array().unwrap().len()), (&json!("unknown"), 0));
    assert_eq!(rpc.refused("skills/activate", json!({})).await["code"], -32602);
    assert_eq!(rpc.refused("skills/activate", json!({ "skill": "hello", "cwd": "/nowhere" })).await["code"], -32003);
    rpc.end().await.unwrap();
}

/// Asks for the skill that asks first, and answers the question; returns what came of it.
async fn asked(rpc: &mut Rpc, session: &str, reply: Value) -> Value {
    let params = json!({ "skill": "keyed", "as": "model", "session": session });
    rpc.send(&json!({ "id": "call", "method": "skills/activate", "params": params })).await;
    let question = rpc.wait(|message| message["method"] == "skills/ask").await;
    let line = &question["params"]["question"];
    assert_eq!((&line["kind"], &line["skills"]), (&json!("permission"), &json!(["keyed"])), "{question}");
    assert_eq!(line["choices"], json!(["once", "session", "always", "no"]));
    let mut reply = reply;
    reply["id"] = question["id"].clone();
    // While one waits for the user, others are answered.
    assert_eq!(rpc.call("skills/list", json!({})).await["data"][0]["skills"][0]["name"], "hello");
    rpc.send(&reply).await;
    rpc.wait(|message| message["id"] == "call").await["result"].take()
}

#[tokio::test]
async fn questions_are_put_to_the_client() {
    let mut rpc = Rpc::silent(None, TREE);
    rpc.hello(json!({ "skillsAsk": true })).await;
    let yes = asked(&mut rpc, "a", json!({ "result": { "choice": "session" } })).await;
    assert_eq!(yes["activated"][0]["name"], "keyed", "{yes}");
    let again = rpc.call("skills/activate", json!({ "skill": "keyed", "as": "model", "session": "a" })).await;
    assert_eq!(again["refused"], json!([]), "answered for the conversation: {again}");
    for reply in [
        json!({ "result": { "choice": "no" } }),
        json!({ "result": { "choice": "whatever" } }),
        json!({ "result": null }),
        json!({ "error": { "code": 1, "message": "cannot" } }),
    ] {
        let no = asked(&mut rpc, "b", reply.clone()).await;
        assert_eq!((&no["refused"][0]["why"], &no["activated"]), (&json!("rejected"), &json!([])), "{reply}: {no}");
    }
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn who_cannot_be_asked_is_refused_with_the_reason() {
    let mut rpc = Rpc::start(None, TREE).await;
    let no = rpc.call("skills/activate", json!({ "skill": "keyed", "as": "model" })).await;
    assert_eq!(no["refused"][0]["why"], "rejected", "{no}");
    let notice = &no["notices"][0];
    assert_eq!(notice["text"], "the permission for `keyed` was not asked for: the client did not say that it can ask");
    assert!(notice["help"].as_str().unwrap().contains("capabilities.skillsAsk"), "{notice}");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn a_client_that_leaves_during_a_question_is_not_waited_for() {
    let mut rpc = Rpc::silent(None, TREE);
    rpc.hello(json!({ "skillsAsk": true })).await;
    let params = json!({ "skill": "keyed", "as": "model" });
    rpc.send(&json!({ "id": 9, "method": "skills/activate", "params": params })).await;
    rpc.wait(|message| message["method"] == "skills/ask").await;
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn files_of_a_skill() {
    let mut rpc = Rpc::start(None, TREE).await;
    let read = rpc.call("skills/read", json!({ "skill": "hello", "path": "notes.md" })).await;
    assert_eq!((&read["kind"], &read["text"]), (&json!("file"), &json!("Notes.\n")));
    let listed = rpc.call("skills/read", json!({ "skill": "hello", "list": true })).await;
    assert_eq!(listed["items"][0]["name"], "notes.md", "{listed}");
    let out = rpc.call("skills/read", json!({ "skill": "hello", "path": "../keyed/SKILL.md" })).await;
    assert_eq!((&out["refused"]["problem"], out["text"].is_null()), (&json!("traversal"), true), "{out}");
    let asks = rpc.call("skills/read", json!({ "skill": "keyed", "as": "model" })).await;
    assert!(asks["text"].is_null() && asks["refused"]["problem"] == "not-asked", "{asks}");
    assert!(asks["notices"][0]["text"].as_str().unwrap().contains("was not asked for"), "{asks}");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn files_of_a_servers_skill() {
    let files: &[(&str, &[u8])] = &[("forms.md", b"Forms\n")];
    let served = SkillServer::default().skill("pdf", "Reads forms", "Body\n", files).serve_http();
    let tree = format!("//- home/.openoxide/config.toml\n[mcp.servers.docs]\nurl = \"{}\"\n", served.url);
    let mut rpc = Rpc::silent(None, &tree);
    rpc.hello(json!({ "skillsAsk": true })).await;
    let params = json!({ "skill": "mcp:docs/pdf", "path": "forms.md", "session": "a" });
    for (choice, expected) in [("no", None), ("session", Some("Forms\n"))] {
        rpc.send(&json!({ "id": "read", "method": "skills/read", "params": params })).await;
        let question = rpc.wait(|message| message["method"] == "skills/ask").await;
        assert_eq!(question["params"]["question"]["kind"], "remote", "{question}");
        rpc.send(&json!({ "id": question["id"], "result": { "choice": choice } })).await;
        let read = rpc.wait(|message| message["id"] == "read").await["result"].take();
        assert_eq!(read["text"].as_str(), expected, "{read}");
        assert_eq!(read["refused"]["problem"].as_str(), expected.is_none().then_some("rejected"), "{read}");
    }
    let listed = rpc.call("skills/read", json!({ "skill": "mcp:docs/pdf", "list": true, "session": "a" })).await;
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2), "a yes holds for the conversation: {listed}");
    let unknown = rpc.call("skills/read", json!({ "skill": "mcp:docs/none" })).await;
    assert_eq!(unknown["refused"]["problem"], "unknown", "{unknown}");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn the_model_is_not_told_which_skills_of_a_server_it_may_not_call() {
    let served = SkillServer::default().skill("a/pdf", "One", "Body\n", &[]).skill("b/pdf", "Two", "Body\n", &[]);
    let served = served.serve_http();
    let rules = "[permission.skill]\n\"mcp:docs/*\" = \"deny\"\n";
    let tree = format!("//- home/.openoxide/config.toml\n[mcp.servers.docs]\nurl = \"{}\"\n{rules}", served.url);
    let mut rpc = Rpc::start(None, &tree).await;
    for (caller, name, problem) in [
        ("model", "pdf", "unknown"),
        ("model", "none", "unknown"),
        ("model", "a/pdf", "unknown"),
        ("user", "pdf", "ambiguous"),
        ("user", "a/pdf", "denied"),
    ] {
        let read = rpc.call("skills/read", json!({ "skill": format!("mcp:docs/{name}"), "as": caller })).await;
        assert_eq!(read["refused"]["problem"], problem, "{caller} {name}: {read}");
    }
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn what_a_text_names_what_the_model_sees_and_where_is_looked() {
    let mut rpc = Rpc::start(None, TREE).await;
    let turn = json!({ "items": [{ "type": "text", "text": "use $hello, $helo" }] });
    let named = rpc.call("skills/mentions", turn).await;
    assert_eq!((&named["selected"][0]["span"], &named["ignored"][0]["near"]), (&json!([4, 10]), &json!(["hello"])));
    let seen = rpc.call("skills/prompt", json!({ "window": 200_000 })).await;
    assert!(seen["text"].as_str().unwrap().contains("says hello"), "{seen}");
    rpc.context.tree("//- home/.openoxide/config.toml\n[[skills.config]]\nname = \"keyed\"\nenabled = false\n//- project/.agents/skills/bad/SKILL.md\nno head\n");
    rpc.call("skills/reload", json!({})).await;
    let roots = rpc.call("skills/roots", json!({})).await;
    assert_eq!(roots["disabled"][0]["name"], "keyed");
    assert_eq!(roots["precedence"][0], "repo");
    assert!(roots["problems"][0]["path"].as_str().unwrap().ends_with("bad/SKILL.md"), "{roots}");
    assert!(roots["roots"].as_array().unwrap().iter().any(|root| root["exists"] == true && root["skills"] == 1));
    rpc.end().await.unwrap();
}

/// A new rule that denies overrides the answer to a question that was asked before the rule was written.
#[tokio::test]
async fn an_old_question_does_not_undo_a_new_rule() {
    for by_client in [true, false] {
        for method in ["skills/activate", "skills/read"] {
            let mut rpc = Rpc::silent(None, TREE);
            rpc.hello(json!({ "skillsAsk": true })).await;
            let params = json!({ "skill": "keyed", "as": "model" });
            rpc.send(&json!({ "id": "call", "method": method, "params": params })).await;
            let question = rpc.wait(|message| message["method"] == "skills/ask").await;
            if by_client {
                rpc.call("config/write", json!({ "key": "permission.skill.keyed", "value": "deny" })).await;
            } else {
                rpc.context.tree("//- home/.openoxide/config.toml\n[permission.skill]\nkeyed = \"deny\"\n");
                rpc.call("skills/reload", json!({})).await;
            }
            rpc.send(&json!({ "id": question["id"], "result": { "choice": "once" } })).await;
            let answer = rpc.wait(|message| message["id"] == "call").await;
            assert!(!answer.to_string().contains("Keyed text."), "{method}: {answer}");
            assert!(answer.to_string().contains("\"unknown"), "{method}: {answer}");
            rpc.end().await.unwrap();
        }
    }
}

/// While the user thinks, the conversation goes on; a no to a reading is noted.
#[tokio::test]
async fn a_question_holds_up_nothing_in_its_conversation() {
    for method in ["skills/activate", "skills/read"] {
        let mut rpc = Rpc::silent(None, TREE);
        rpc.hello(json!({ "skillsAsk": true })).await;
        let params = json!({ "skill": "keyed", "as": "model", "session": "a" });
        rpc.send(&json!({ "id": "call", "method": method, "params": params })).await;
        let question = rpc.wait(|message| message["method"] == "skills/ask").await;
        let other = rpc.call("skills/activate", json!({ "skill": "hello", "session": "a" })).await;
        assert_eq!(other["activated"][0]["name"], "hello", "{method}: {other}");
        rpc.send(&json!({ "id": question["id"], "result": { "choice": "no" } })).await;
        rpc.wait(|message| message["id"] == "call").await;
        let lines = crate::mcp::audited(&rpc.context, 2).await;
        let no = lines.iter().find(|line| line["skill"] == "keyed").unwrap();
        assert_eq!((&no["decision"], &no["why"]), (&json!("deny"), &json!("rejected")), "{no}");
        rpc.end().await.unwrap();
    }
}
