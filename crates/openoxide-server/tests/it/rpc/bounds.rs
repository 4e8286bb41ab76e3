//! What is malformed is answered, and ends nothing.

use std::time::Duration;

use openoxide_live::Place;
use openoxide_server::{Engine, EngineOptions, RpcOptions, serve_rpc};
use openoxide_testkit::TestContext;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::broadcast::error::RecvError;

use super::Rpc;
use crate::http::environment;

const TREE: &str = "//- project/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: d\n---\n";

#[tokio::test]
async fn the_first_word_is_initialize() {
    let mut rpc = Rpc::silent(None, TREE);
    let early = rpc.refused("skills/list", json!({})).await;
    assert_eq!(early, json!({ "code": -32600, "message": "Not initialized" }));
    let nobody = rpc.refused("initialize", json!({})).await;
    assert_eq!(nobody["message"], "Invalid request: missing field `clientInfo`");
    let welcome = rpc.hello(json!({})).await;
    let agent = format!("test/{} (", env!("CARGO_PKG_VERSION"));
    assert!(welcome["userAgent"].as_str().unwrap().starts_with(&agent), "{welcome}");
    let keys: Vec<&String> = welcome.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["userAgent", "codexHome", "platformFamily", "platformOs"]);
    let client = json!({ "name": "test", "version": "1" });
    let again = rpc.refused("initialize", json!({ "clientInfo": client })).await;
    assert_eq!(again["message"], "Already initialized");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn malformed_lines_are_answered_and_the_next_is_read() {
    let mut rpc = Rpc::start(None, TREE).await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let batch = format!("[{}]", vec![r#"{"id":1,"method":"skills/list"}"#; 10_000].join(","));
    let huge = format!(r#"{{"id":1,"method":"skills/list","params":{{"x":"{}"}}}}"#, "x".repeat(10_000_000));
    let cases: [(&[u8], i64); 9] = [
        (b"nonsense", -32700),
        (b"{\"id\":1,\"method\":\"\xff\"}", -32700),
        (deep.as_bytes(), -32700),
        (batch.as_bytes(), -32600),
        (huge.as_bytes(), -32600),
        (br#"{"id":1,"id":2,"method":"skills/list"}"#, -32700),
        (br#"{"id":1,"method":"skills/list","params":{"cwds":[],"cwds":[]}}"#, -32700),
        (b"{}", -32600),
        (br#"{"id":{},"method":"skills/list"}"#, -32600),
    ];
    for (line, code) in cases {
        rpc.raw(line).await;
        let answer = rpc.next().await;
        let start = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        assert_eq!((&answer["error"]["code"], answer["id"].is_null()), (&json!(code), true), "{start}: {answer}");
    }
    rpc.raw(b"").await;
    assert_eq!(rpc.refused("skills/nothing", json!({})).await["code"], -32601);
    assert_eq!(rpc.refused("skills/list", json!({ "cwds": 5 })).await["code"], -32600);
    assert_eq!(rpc.call("skills/list", json!({})).await["data"][0]["skills"][0]["name"], "a");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn a_flood_of_notices_and_replies_is_passed_over() {
    let mut rpc = Rpc::start(None, TREE).await;
    for number in 0..20_000 {
        rpc.send(&json!({ "method": "skills/list", "params": { "n": number } })).await;
        rpc.send(&json!({ "id": format!("ask-{number}"), "result": { "choice": "always" } })).await;
    }
    assert_eq!(rpc.call("skills/list", json!({})).await["data"][0]["skills"][0]["name"], "a");
    assert!(rpc.notices.is_empty(), "{:?}", rpc.notices);
    rpc.end().await.unwrap();
}

/// Each request has its answer, in whatever order: the list, or that there is too much to do.
#[tokio::test]
async fn requests_at_once_are_bounded_and_all_are_answered() {
    let mut rpc = Rpc::start(None, TREE).await;
    let mut input = rpc.input.take().unwrap();
    let sent = tokio::spawn(async move {
        for id in 1..=500 {
            let line = json!({ "id": id, "method": "skills/list", "params": { "forceReload": true } });
            input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        input
    });
    let mut open: std::collections::BTreeSet<i64> = (1..=500).collect();
    let mut listed = 0;
    while !open.is_empty() {
        let answer = rpc.next().await;
        if answer["method"] == "skills/changed" {
            continue;
        }
        assert!(open.remove(&answer["id"].as_i64().unwrap()), "{answer}");
        match answer["error"]["code"].as_i64() {
            None => listed += usize::from(answer["result"]["data"][0]["skills"][0]["name"] == "a"),
            code => assert_eq!(code, Some(-32001), "{answer}"),
        }
    }
    assert!(listed > 0);
    rpc.input = Some(sent.await.unwrap());
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn later_work_says_that_it_is_later() {
    let mut rpc = Rpc::start(None, TREE).await;
    for method in ["skills/install", "skills/remote/read", "skills/remote/write"] {
        let error = rpc.refused(method, json!({})).await;
        assert_eq!((&error["code"], &error["data"]["problem"]), (&json!(-32002), &json!("not-supported")), "{error}");
        assert_eq!(error["message"], format!("`{method}` is not supported yet"));
    }
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn who_says_the_version_is_told_the_version() {
    let mut rpc = Rpc::start(None, TREE).await;
    rpc.send(&json!({ "jsonrpc": "2.0", "id": "x", "method": "skills/list" })).await;
    assert_eq!(rpc.next().await["jsonrpc"], "2.0");
    rpc.send(&json!({ "id": "y", "method": "skills/list" })).await;
    assert!(rpc.next().await["jsonrpc"].is_null());
    rpc.end().await.unwrap();
}

/// When nobody reads any more, all that was begun ends, as it does when nobody asks any more.
#[tokio::test]
async fn nothing_is_left_when_nobody_reads() {
    let context = TestContext::new();
    let engine = Engine::new(environment(&context), Place::of(context.project()), EngineOptions::default());
    let mut changes = engine.changes();
    let (mut input, theirs) = tokio::io::duplex(64 * 1024);
    let (ours, output) = tokio::io::duplex(64 * 1024);
    let server = tokio::spawn(serve_rpc(engine, theirs, ours, RpcOptions::default()));
    drop(output);
    input.write_all(b"nonsense\n").await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), server).await.expect("the server ends").unwrap().unwrap();
    let gone = async { while !matches!(changes.recv().await, Err(RecvError::Closed)) {} };
    tokio::time::timeout(Duration::from_secs(20), gone).await.expect("nobody has the engine any more");
}
