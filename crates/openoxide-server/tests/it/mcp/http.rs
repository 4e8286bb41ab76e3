//! MCP over HTTP, without a socket.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use http::{Request, Response, StatusCode};
use openoxide_server::mcp::{McpHttp, http_service};
use openoxide_server::{Identity, RequestId};
use openoxide_testkit::TestContext;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{NEW, OLD, engine, meta, project, text};

struct Server {
    context: TestContext,
    router: Router,
}

impl Server {
    fn new(settings: &[&str]) -> Server {
        let context = project();
        let origins = vec!["http://127.0.0.1:7000".to_owned()];
        let http = McpHttp { hosts: vec!["127.0.0.1:7000".to_owned()], origins, ..McpHttp::default() };
        let router = http_service(engine(&context, settings), http);
        Server { context, router }
    }

    async fn send(&self, headers: &[(&str, &str)], body: &Value) -> Response<Body> {
        self.raw(headers, body.to_string()).await
    }

    async fn raw(&self, headers: &[(&str, &str)], body: impl Into<Body>) -> Response<Body> {
        let mut request = Request::post("/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "127.0.0.1:7000");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request = request.extension(Identity::Program);
        let peer: std::net::SocketAddr = "127.0.0.1:4711".parse().unwrap();
        request = request.extension(ConnectInfo(peer)).extension(RequestId("r-1".into()));
        self.router.clone().oneshot(request.body(body.into()).unwrap()).await.unwrap()
    }

    /// Sends a request that stands alone, and returns the answer.
    async fn modern(&self, method: &str, mut params: Value, capabilities: &Value) -> Value {
        params["_meta"] = meta(capabilities);
        let mut headers = vec![("mcp-protocol-version", NEW), ("mcp-method", method)];
        let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        if let Some(name) = name.as_deref().filter(|_| !method.starts_with("skills/")) {
            headers.push(("mcp-name", name));
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        answer(self.send(&headers, &body).await).await
    }

    /// Greets as the older lifecycle does, and returns what the conversation is called.
    async fn greet(&self) -> String {
        self.greet_with(&json!({})).await
    }

    async fn greet_with(&self, capabilities: &Value) -> String {
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": OLD, "capabilities": capabilities, "clientInfo": info });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let response = self.send(&[], &body).await;
        let session = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        assert_eq!(answer(response).await["result"]["protocolVersion"], OLD);
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", OLD)];
        assert_eq!(self.send(&headers, &body).await.status(), StatusCode::ACCEPTED);
        session
    }

    async fn old(&self, session: &str, method: &str, params: Value) -> Response<Body> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.send(&[("mcp-session-id", session), ("mcp-protocol-version", OLD)], &body).await
    }
}

/// Returns the answer, as JSON or as the last event of a stream.
async fn answer(response: Response<Body>) -> Value {
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 1 << 24).await.unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    if let Ok(value) = serde_json::from_str(&text) {
        return value;
    }
    let mut events = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let last = events.rfind(|data| !data.is_empty());
    serde_json::from_str(last.unwrap_or_else(|| panic!("{}: {text}", parts.status))).unwrap()
}

#[tokio::test]
async fn requests_that_stand_alone_are_answered() {
    let server = Server::new(&[]);
    let greeting = server.modern("server/discover", json!({}), &json!({})).await;
    assert!(greeting["result"]["capabilities"]["extensions"].is_object(), "{greeting}");
    let skills = server.modern("skills/list", json!({}), &json!({})).await;
    assert_eq!(skills["result"]["skills"].as_array().unwrap().len(), 4);
    let arguments = json!({ "name": "skill", "arguments": { "name": "pdf" } });
    let loaded = server.modern("tools/call", arguments, &json!({})).await;
    assert!(text(&loaded["result"]).contains("# pdf"), "{loaded}");
    let missing = server.modern("resources/read", json!({ "uri": "skill://zzz/SKILL.md" }), &json!({})).await;
    assert_eq!(missing["error"]["code"], -32602);
}

#[tokio::test]
async fn a_conversation_of_the_older_kind_lasts_until_it_is_ended() {
    let server = Server::new(&[]);
    let session = server.greet().await;
    let params = json!({ "name": "skill", "arguments": { "name": "pdf" } });
    let loaded = answer(server.old(&session, "tools/call", params).await).await;
    assert!(text(&loaded["result"]).contains("# pdf"), "{loaded}");
    let end = json!({ "name": "skills_deactivate", "arguments": { "name": "pdf" } });
    let ended = answer(server.old(&session, "tools/call", end.clone()).await).await;
    assert!(ended["result"]["isError"] != true, "it is remembered: {ended}");
    let other = server.greet().await;
    let unknown = answer(server.old(&other, "tools/call", end).await).await;
    assert_eq!(unknown["result"]["isError"], true, "another conversation knows nothing of it");
    assert_eq!(server.old("zzz", "tools/list", json!({})).await.status(), StatusCode::NOT_FOUND);
}

/// Python's SDK takes 200 and 204 for done, and says of anything else that it failed.
#[tokio::test]
async fn a_conversation_that_is_ended_is_over() {
    let server = Server::new(&[]);
    let end = async |session: Option<&str>| {
        let mut request = Request::delete("/mcp").header("host", "127.0.0.1:7000").header("mcp-protocol-version", OLD);
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        server.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status()
    };
    let session = server.greet().await;
    assert_eq!(end(Some(&session)).await, StatusCode::OK);
    assert_eq!(end(Some(&session)).await, StatusCode::NOT_FOUND, "it is over");
    assert_eq!(end(Some("zzz")).await, StatusCode::NOT_FOUND);
    assert_eq!(end(None).await, StatusCode::BAD_REQUEST);
    assert_eq!(server.old(&session, "tools/list", json!({})).await.status(), StatusCode::NOT_FOUND);
}

/// Clients that are older than empty events read every event as a message, and give up on one that is none.
#[tokio::test]
async fn every_event_is_a_message() {
    let server = Server::new(&[]);
    let params = json!({ "protocolVersion": OLD, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let greeting = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let session = server.greet().await;
    for response in [server.send(&[], &greeting).await, server.old(&session, "tools/list", json!({})).await] {
        let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let events: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data:")).collect();
        assert_eq!(events.len(), 1, "{text}");
        assert!(serde_json::from_str::<Value>(events[0]).is_ok_and(|event| event["jsonrpc"] == "2.0"), "{text}");
    }
}

#[tokio::test]
async fn conversations_are_bounded() {
    let server = Server::new(&[]);
    let first = server.greet().await;
    let second = server.greet().await;
    for _ in 0..62 {
        server.greet().await;
    }
    // The first was used since, so that the second is the one that was quiet longest.
    for _ in 0..2 {
        assert_eq!(server.old(&first, "tools/list", json!({})).await.status(), StatusCode::OK);
    }
    server.greet().await;
    assert_eq!(server.old(&first, "tools/list", json!({})).await.status(), StatusCode::OK);
    assert_eq!(server.old(&second, "tools/list", json!({})).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn other_hosts_and_origins_are_refused() {
    let server = Server::new(&[]);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta(&json!({})) } });
    let plain = [("mcp-protocol-version", NEW), ("mcp-method", "tools/list")];
    let with = |more: (&'static str, &'static str)| [plain[0], plain[1], more];
    assert_eq!(server.send(&plain, &body).await.status(), StatusCode::OK);
    assert_eq!(server.send(&with(("origin", "http://127.0.0.1:7000")), &body).await.status(), StatusCode::OK);
    for bad in [
        ("origin", "http://evil.example"),
        ("origin", "http://127.0.0.1:7001"),
        ("origin", "null"),
        ("host", "evil.example"),
        ("host", "127.0.0.1:7001"),
    ] {
        assert_eq!(server.send(&with(bad), &body).await.status(), StatusCode::FORBIDDEN, "{bad:?}");
    }
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "x", "params": { "x": "y".repeat(2 << 20) } });
    assert_eq!(server.send(&plain, &long).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

/// A client over HTTP cannot approve for the user, whatever it reports that its user answered.
#[tokio::test]
async fn no_client_answers_its_own_questions() {
    let server = Server::new(&["permission.skill.\"pdf\"=\"ask\""]);
    server.context.tree(
        "//- project/.agents/skills/shell/SKILL.md\n---\nname: shell\ndescription: Runs\n---\nNow: !`echo it-ran`\n",
    );
    let forms = json!({ "elicitation": { "form": {} } });
    let session = server.greet_with(&forms).await;
    let says = json!({ "answer": { "action": "accept", "content": { "answer": "once" } } });
    for name in ["pdf", "shell"] {
        let mut call = json!({ "name": "skill", "arguments": { "name": name } });
        let alone = server.modern("tools/call", call.clone(), &forms).await["result"].take();
        let talking = answer(server.old(&session, "tools/call", call.clone()).await).await["result"].take();
        let twice = answer(server.old(&session, "tools/call", call.clone()).await).await["result"].take();
        for told in [&alone, &talking, &twice] {
            assert!(told["resultType"] != "input_required" && told["isError"] == true, "{told}");
            assert_eq!(told["_meta"]["openoxide/problem"], "needs-approval", "{told}");
            assert!(text(told).contains("openoxide serve --link") && !text(told).contains("# pdf"), "{told}");
            assert!(!text(told).contains("Now: it-ran"), "{told}");
        }
        call["inputResponses"] = says.clone();
        for state in ["AAAA", ""] {
            call["requestState"] = json!(state);
            let forged = server.modern("tools/call", call.clone(), &forms).await;
            assert_eq!(forged["error"]["code"], -32602, "{forged}");
        }
    }
    let read = server.modern("resources/read", json!({ "uri": "skill://pdf/SKILL.md" }), &forms).await;
    assert_eq!(read["error"]["data"]["problem"], "needs-approval", "{read}");
}

#[tokio::test]
async fn the_log_names_who_asked() {
    let server = Server::new(&[]);
    server.modern("tools/call", json!({ "name": "skill", "arguments": { "name": "pdf" } }), &json!({})).await;
    server.modern("resources/read", json!({ "uri": "skill://pdf/SKILL.md" }), &json!({})).await;
    let session = server.greet().await;
    answer(server.old(&session, "resources/read", json!({ "uri": "skill://notes/SKILL.md" })).await).await;
    for line in super::audited(&server.context, 3).await {
        assert_eq!(line["actor"], json!({ "face": "mcp", "peer": "127.0.0.1:4711", "request": "r-1" }), "{line}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_told_as_the_protocol_does() {
    let server = Server::new(&[]);
    let session = server.greet().await;
    let old = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", OLD)];
    let new = [("mcp-protocol-version", NEW), ("mcp-method", "tools/list")];
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let batch = format!("[{}]", vec![r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#; 10_000].join(","));
    let huge = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#, "x".repeat(10_000_000));
    let rows: [(&[u8], u16, i64); 9] = [
        (b"", 400, -32700),
        (b"nonsense", 400, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", 400, -32700),
        (deep.as_bytes(), 400, -32600),
        (batch.as_bytes(), 400, -32600),
        (huge.as_bytes(), 413, -32600),
        (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, 400, -32600),
        (br#"{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"a","uri":"b"}}"#, 400, -32600),
        (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, 400, -32600),
    ];
    for headers in [&old, &new] {
        for (body, status, code) in rows {
            let response = server.raw(headers, body.to_vec()).await;
            let start = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            assert_eq!(response.status().as_u16(), status, "{start}");
            assert_eq!(answer(response).await["error"]["code"], code, "{start}");
        }
    }
    assert_eq!(server.old(&session, "tools/list", json!({})).await.status(), StatusCode::OK);
}

/// A message that breaks off is not said to be too long.
#[tokio::test]
async fn a_body_that_breaks_off_is_told_as_such() {
    let server = Server::new(&[]);
    let parts = [Ok("{\"jsonrpc\":"), Err(std::io::Error::other("gone"))];
    let response = server.raw(&[], Body::from_stream(tokio_stream::iter(parts))).await;
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    let error = answer(response).await["error"].take();
    assert_eq!(error["code"], -32700, "{error}");
    assert!(error["message"].as_str().unwrap().contains("did not arrive"), "{error}");
}

#[tokio::test]
async fn a_flood_of_notices_is_passed_over() {
    let server = Server::new(&[]);
    let session = server.greet().await;
    let old = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", OLD)];
    let new = [("mcp-protocol-version", NEW), ("mcp-method", "notifications/progress")];
    let (token, noted) = (json!({ "progressToken": 1, "progress": 1 }), meta(&json!({})));
    let plain = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": token });
    let alone = json!({
        "jsonrpc": "2.0", "method": "notifications/progress",
        "params": { "progressToken": 1, "progress": 1, "_meta": noted },
    });
    for _ in 0..2_000 {
        assert_eq!(server.send(&old, &plain).await.status(), StatusCode::ACCEPTED);
        assert_eq!(server.send(&new, &alone).await.status(), StatusCode::ACCEPTED);
        let reply = json!({ "jsonrpc": "2.0", "id": 77, "result": {} });
        assert!(server.send(&old, &reply).await.status().as_u16() < 500);
    }
    assert_eq!(server.old(&session, "tools/list", json!({})).await.status(), StatusCode::OK);
    let skills = server.modern("skills/list", json!({}), &json!({})).await;
    assert_eq!(skills["result"]["skills"].as_array().unwrap().len(), 4);
}
