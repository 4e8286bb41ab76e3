//! What is malformed, too much or out of turn is answered or skipped, and ends nothing.

use std::collections::BTreeMap;

use openoxide_server::mcp::McpOptions;
use serde_json::{Value, json};

use super::{Client, NEW, OLD, project};

#[tokio::test]
async fn malformed_lines_are_answered_and_the_next_is_read() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let batch = format!("[{}]", vec![r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#; 10_000].join(","));
        let huge =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#, "x".repeat(10_000_000));
        let cases: [(&[u8], i64); 7] = [
            (b"nonsense", -32700),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700),
            (deep.as_bytes(), -32600),
            (batch.as_bytes(), -32600),
            (huge.as_bytes(), -32600),
            (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
            (br#"{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"a","uri":"b"}}"#, -32600),
        ];
        for (line, code) in cases {
            client.raw(line).await;
            let answer = client.read().await;
            let start = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
            assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(code), None), "{start}: {answer}");
        }
        client.raw(b"").await;
        client.raw(b" \r").await;
        assert_eq!(client.error("skills/nothing", json!({})).await["code"], -32601);
        client.ok("tools/list", json!({})).await;
    }
}

/// A method that is there, called in another way, is not said to be missing.
#[tokio::test]
async fn wrong_parameters_are_told_as_such() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        for (method, params) in [
            ("tools/call", json!({})),
            ("tools/call", json!({ "name": "skill", "arguments": [1] })),
            ("tools/call", json!({ "name": 5 })),
            ("prompts/get", json!({})),
            ("resources/read", json!({})),
            ("resources/read", json!({ "uri": ["skill://pdf/SKILL.md"] })),
            ("completion/complete", json!({ "ref": { "type": "ref/x" } })),
            ("skills/get", json!({})),
            ("skills/list", json!({ "cursor": 5 })),
            ("resources/directory/read", json!({ "uri": 1 })),
        ] {
            let error = client.error(method, params.clone()).await;
            assert_eq!(error["code"], -32602, "{method} {params}: {error}");
        }
    }
}

#[tokio::test]
async fn what_comes_before_the_beginning_is_passed_over() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::silent(&context, version, &[], McpOptions::default(), json!({}));
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
            .send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }))
            .await;
        client.send(&json!({ "jsonrpc": "2.0", "id": 7, "result": {} })).await;
        client.raw(b"nonsense").await;
        assert_eq!(client.read().await["error"]["code"], -32700);
        // A request that begins nothing, and what would come after one that does.
        client.send(&json!({ "jsonrpc": "2.0", "id": "early", "method": "tools/list" })).await;
        assert_eq!(client.read().await["error"]["code"], -32602);
        client.send(&json!({ "jsonrpc": "2.0", "id": "ping", "method": "ping" })).await;
        assert_eq!(client.read().await["id"], "ping");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        assert!(client.greet().await["capabilities"].is_object());
        client.ok("tools/list", json!({})).await;
    }
}

#[tokio::test]
async fn a_flood_of_notices_and_replies_is_passed_over() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        let (token, long) = (json!({ "progressToken": 1, "progress": 1 }), "x".repeat(100_000));
        for number in 0..20_000 {
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": token })).await;
            client.send(&json!({ "jsonrpc": "2.0", "id": number, "result": {} })).await;
        }
        for _ in 0..100 {
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/x", "params": { "x": long } })).await;
        }
        client.ok("tools/list", json!({})).await;
        assert_eq!(client.notices, [Value::Null; 0]);
    }
}

/// Who asks and never reads is refused at some point, and yet every request has its one answer.
#[tokio::test]
async fn requests_that_wait_are_bounded() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    for number in 0..4000 {
        client.send(&json!({ "jsonrpc": "2.0", "id": format!("r{number}"), "method": "skills/list" })).await;
    }
    let mut answers: BTreeMap<String, Value> = BTreeMap::new();
    while answers.len() < 4000 {
        let message = client.read().await;
        let id = message["id"].as_str().unwrap().to_owned();
        assert_eq!(answers.insert(id, message["error"]["code"].clone()), None, "one answer for each");
    }
    let refused = answers.values().filter(|code| **code == json!(-32600)).count();
    assert!((1..4000).contains(&refused), "{refused}");
    client.ok("tools/list", json!({})).await;
}

/// An id is kept and sent back, so a long one would be much for little.
#[tokio::test]
async fn an_id_has_a_size() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        for length in [257, 1_000_000] {
            client.send(&json!({ "jsonrpc": "2.0", "id": "x".repeat(length), "method": "ping" })).await;
            let answer = client.read().await;
            assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(-32600), None), "{length}: {answer}");
        }
        client.ok("tools/list", json!({})).await;
    }
}

#[tokio::test]
async fn an_id_means_one_request_at_a_time() {
    let context = project();
    let settings = ["permission.skill.\"pdf\"=\"ask\""];
    let forms = json!({ "elicitation": { "form": {} } });
    let mut client = Client::with(&context, OLD, &settings, McpOptions::default(), forms).await;
    let call = json!({ "name": "skill", "arguments": { "name": "pdf" } });
    let call = json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": call });
    client.send(&call).await;
    let asked = client.read().await;
    assert_eq!(asked["method"], "elicitation/create");
    client.send(&call).await;
    let refused = client.read().await;
    assert_eq!((&refused["error"]["code"], refused.get("id")), (&json!(-32600), None), "{refused}");
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "decline" } })).await;
    assert_eq!(client.read().await["id"], "same");
}

/// What a client takes back ends, and makes room for what it asks next.
#[tokio::test]
async fn what_is_taken_back_ends() {
    let context = project();
    let settings = ["permission.skill.\"pdf\"=\"ask\""];
    let forms = json!({ "elicitation": { "form": {} } });
    let mut client = Client::with(&context, OLD, &settings, McpOptions::default(), forms).await;
    let call = json!({ "name": "skill", "arguments": { "name": "pdf" } });
    for _ in 0..600 {
        let id = client.begin("tools/call", call.clone()).await;
        while client.read().await["method"] != "elicitation/create" {}
        let params = json!({ "requestId": id });
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    }
    client.answer = Some(json!({ "action": "accept", "content": { "answer": "once" } }));
    let loaded = client.ok("tools/call", call).await;
    assert!(super::text(&loaded).contains("# pdf"), "{loaded}");
}
