//! A client that answers its own questions: the one that started us speaks for the user, and over HTTP nobody else does.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use super::face::{Setting, attack};
use super::skill;
use crate::serve::{Server, answer};
use crate::support::bin;

attack! { clients_that_answer_themselves for everyone {
    cli = "whoever types is the user",
    http = "a route answers a question by its handle, which `the_access_token_as_proof` tries",
    mcp = "the client that started us speaks for the user",
    mcp_http,
    rpc = "the client that started us speaks for the user"
} }

const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";

fn context() -> TestContext {
    let context = TestContext::new();
    skill(&context, "guarded", "", "REACHED");
    context.tree("//- home/.openoxide/config.toml\n[permission]\nskill = { guarded = \"ask\" }\n");
    context
}

/// What a client says that can ask its user.
fn hello() -> Value {
    let params = json!({
        "protocolVersion": OLD, "capabilities": { "elicitation": { "form": {} } },
        "clientInfo": { "name": "eager", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn call() -> Value {
    let params = json!({ "name": "skill", "arguments": { "name": "guarded" } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

/// What the client says that its user said.
fn yes(word: &str) -> Value {
    json!({ "action": "accept", "content": { "answer": word } })
}

#[test]
fn over_stdio_the_answer_of_the_client_counts() {
    let context = context();
    let mut child = context.command(bin(), ["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut said = |message: &Value| writeln!(input, "{message}").unwrap();
    said(&hello());
    said(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    said(&call());
    let mut asked = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if message["method"] == "elicitation/create" {
            asked += 1;
            said(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": yes("once") }));
        } else if message["id"] == 1 {
            assert!(message.to_string().contains("REACHED"), "{message}");
            break;
        }
    }
    assert_eq!(asked, 1);
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Sends a message, and returns the whole answer.
fn post(server: &Server, headers: &str, message: &Value) -> String {
    let headers = format!("accept: application/json, text/event-stream\r\n{headers}");
    answer(server.send("POST /mcp", &headers, &message.to_string())).1
}

fn assert_needs_user(what: &str, told: &str) {
    assert!(told.contains("needs-approval") && told.contains("serve --link"), "{what}: {told}");
    assert!(!told.contains("REACHED"), "{what}: {told}");
}

/// In the older kind of conversation an answer to a question is a message by itself, for whatever id a client guesses.
fn talks_to_itself(server: &Server) {
    let greeted = post(server, "", &hello());
    let session = greeted.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session").trim();
    let headers = format!("mcp-session-id: {session}\r\nmcp-protocol-version: {OLD}\r\n");
    post(server, &headers, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let told = post(server, &headers, &call());
    assert!(!told.contains("elicitation/create"), "{told}");
    for id in 0..8 {
        for word in ["once", "always"] {
            post(server, &headers, &json!({ "jsonrpc": "2.0", "id": id, "result": yes(word) }));
        }
        assert_needs_user(OLD, &post(server, &headers, &call()));
    }
}

/// In the newer kind, the answer comes with the same request.
fn answers_beforehand(server: &Server) {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": { "name": "eager", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let headers = format!("mcp-protocol-version: {NEW}\r\nmcp-method: tools/call\r\nmcp-name: skill\r\n");
    let mut message = call();
    message["params"]["_meta"] = meta;
    let told = post(server, &headers, &message);
    assert!(!told.contains("requestState") && !told.contains("inputRequests"), "{told}");
    assert_needs_user(NEW, &told);
    message["params"]["inputResponses"] = json!({ "answer": yes("once") });
    for state in ["", "0", "00000000000000000000000000000000"] {
        message["params"]["requestState"] = json!(state);
        let told = post(server, &headers, &message);
        assert!(!told.contains("REACHED"), "{state}: {told}");
    }
    message["params"].as_object_mut().unwrap().remove("requestState");
    assert_needs_user(NEW, &post(server, &headers, &message));
}

/// Whether or not clients show a token: nobody who comes over HTTP says yes to what they asked for.
fn clients_that_answer_themselves(setting: Setting) {
    for more in [&[][..], &["--auth", "none"]] {
        let context = context();
        setting.give(&context);
        let words = [&["serve", "--port", "0", "--log", "off"], more].concat();
        let server = Server::from(&mut setting.command(&context, words));
        talks_to_itself(&server);
        answers_beforehand(&server);
        let kept = fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap();
        assert!(kept.contains("guarded = \"ask\"") && !kept.contains("allow"), "{kept}");
    }
}
