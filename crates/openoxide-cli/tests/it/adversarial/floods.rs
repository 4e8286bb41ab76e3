//! Clients that do not read, slow clients, and floods of questions and conversations: everyone else is served.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use super::face::{Face, Setting, attack};
use super::{file, skill};
use crate::serve::{Server, answer};
use crate::support::{PATIENCE, until};

attack! { clients_that_do_not_read {
    cli = "nobody connects to it", http, mcp = "it has one client, which started it", mcp_http,
    rpc = "it has one client, which started it"
} }
attack! { clients_that_do_not_read_a_text {
    cli = "nobody connects to it", http, mcp = "it has one client, which started it", mcp_http,
    rpc = "it has one client, which started it"
} }
attack! { slow_clients_without_the_token for everyone {
    cli = "nobody connects to it", http, mcp = "it has one client, which started it", mcp_http,
    rpc = "it has one client, which started it"
} }
attack! { slow_bodies_with_the_token for everyone {
    cli = "nobody connects to it", http, mcp = "it has one client, which started it", mcp_http,
    rpc = "it has one client, which started it"
} }
attack! { a_flood_of_questions for everyone {
    cli = "nobody connects to it", http, mcp = "it has one client, which started it", mcp_http,
    rpc = "it has one client, which started it"
} }
attack! { many_conversations_that_ask for everyone {
    cli = "nobody connects to it", http = "no route keeps a conversation", mcp = "it has one client, which started it",
    mcp_http, rpc = "it has one client, which started it"
} }
attack! { a_flood_of_conversations for everyone {
    cli = "nobody connects to it", http = "no route keeps a conversation", mcp = "it has one client, which started it",
    mcp_http, rpc = "it has one client, which started it"
} }

/// A project with a skill, one that a rule asks about, and one with a large file.
fn context(large: &[u8]) -> TestContext {
    let context = TestContext::new();
    context.skill("pdf", "Fills in forms");
    context.tree("//- home/.openoxide/config.toml\n[permission.skill]\nask = \"ask\"\n");
    skill(&context, "ask", "", "Do $ARGUMENTS");
    fs_err::write(context.project().join(".agents/skills/pdf/large.bin"), large).unwrap();
    context
}

fn serve(setting: Setting, context: &TestContext) -> Server {
    setting.give(context);
    Server::from(&mut setting.command(context, ["serve", "--port", "0", "--log", "off"]))
}

/// Where requests of the face go.
fn address(setting: Setting, route: &'static str) -> &'static str {
    if setting.face == Face::McpHttp { "POST /mcp" } else { route }
}

/// Connects so many times, and sends the same each time.
fn connect(server: &Server, count: usize, bytes: &str) -> Vec<TcpStream> {
    let stream = |_| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        stream
    };
    (0..count).map(stream).collect()
}

/// Tells whether the other side has closed a connection that it sent nothing on.
fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    !matches!(stream.peek(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

/// How many clients do not read, and how much memory the server may ever have had meanwhile, in KiB.
const CLIENTS: usize = 200;
const MEMORY: u64 = 256 * 1024;

/// Lets many clients ask and read nothing: the server answers them within its memory, and serves others meanwhile.
fn assert_memory_is_bounded(server: &Server, request: &str, served: impl Fn()) {
    let deaf = connect(server, CLIENTS, request);
    let (start, mut answered) = (Instant::now(), 0);
    // As long as it takes until what the first clients hold has gone to others.
    until(PATIENCE, || {
        served();
        answered = answered.max(deaf.iter().filter(|stream| has_bytes(stream)).count());
        server.peak_memory() >= MEMORY || (answered > 1 && start.elapsed() > Duration::from_secs(8))
    });
    let peak = server.peak_memory();
    assert!(peak < MEMORY, "{peak} KiB for {CLIENTS} clients that do not read");
    assert!(answered > 1, "{answered} clients have an answer");
}

/// Tells whether a part of an answer has come; a connection that was closed has none left.
fn has_bytes(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    matches!(stream.peek(&mut [0; 9]), Ok(9))
}

/// Many clients ask for a large file, and read nothing of what comes.
fn clients_that_do_not_read(setting: Setting) {
    let large: Vec<u8> = (0..15 * 1024 * 1024_u32).map(|number| (number % 251) as u8).collect();
    let context = context(&large);
    let server = serve(setting, &context);
    let path = "/v1/skills/pdf/files/large.bin";
    let request = match setting.face {
        Face::Http => format!("GET {path} HTTP/1.1\r\n{}\r\n", shown(&server)),
        _ => asking(&server, "resources/read", "skill://pdf/large.bin", json!({ "uri": "skill://pdf/large.bin" })),
    };
    assert_memory_is_bounded(&server, &request, || assert_eq!(server.get("/v1/skills").0, 200));
    if setting.face == Face::Http {
        assert_comes_whole(&server, path, &large);
    }
}

/// The same with a text: each character of it is looked at before it is sent, and the hidden ones become escapes. Of the
/// hosts, one sends texts of 16 MiB.
fn clients_that_do_not_read_a_text(setting: Setting) {
    let context = context(b"");
    file(&context, "pdf", "text.txt", &("é".to_owned() + &"a".repeat(1_800_000) + &"\u{200b}\u{1b}".repeat(20_000)));
    file(&context, "pdf", "long.txt", &("éa\u{200b}".to_owned() + &"a".repeat(15 << 20)));
    let requests = |server: &Server| match setting.face {
        Face::Http => ["text.txt", "long.txt?host=omp"].map(|file| {
            let head = format!("{}accept: application/json\r\n", shown(server));
            format!("GET /v1/skills/pdf/files/{file} HTTP/1.1\r\n{head}\r\n")
        }),
        _ => ["text.txt", "long.txt"].map(|file| {
            let arguments = json!({ "name": "pdf", "path": file });
            let call = json!({ "name": "skills_readResource", "arguments": arguments });
            asking(server, "tools/call", "skills_readResource", call)
        }),
    };
    for which in [0, 1] {
        let server = serve(setting, &context);
        let request = &requests(&server)[which];
        // A client that reads gets the text, as it may be shown.
        let mut stream = connect(&server, 1, &request.replacen("\r\n", "\r\nconnection: close\r\n", 1)).remove(0);
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200") && text.contains("éa") && text.contains("u{200b}"), "{which}");
        assert_memory_is_bounded(&server, request, || assert_eq!(server.get("/v1/skills").0, 200));
    }
}

/// The headers of a program.
fn shown(server: &Server) -> String {
    format!("host: localhost\r\nx-api-key: {}\r\n", server.token)
}

/// A request over MCP that stands alone, as it is sent.
fn asking(server: &Server, method: &str, name: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "deaf", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    format!(
        "POST /mcp HTTP/1.1\r\n{}accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
         mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\nmcp-name: {name}\r\ncontent-length: {}\r\n\r\n{body}",
        shown(server),
        body.len()
    )
}

/// A client that reads gets all of it.
fn assert_comes_whole(server: &Server, path: &str, large: &[u8]) {
    let mut stream = server.send(&format!("GET {path}"), "", "");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let body = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
    assert!(&bytes[body..] == large, "{} bytes came", bytes.len() - body);
    let head = String::from_utf8_lossy(&bytes[..body]).to_ascii_lowercase();
    assert!(head.contains("content-length: 15728640\r\n"), "{head}");
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let (status, _) = answer(server.send(&format!("GET {path}"), &format!("if-none-match: {tag}\r\n"), ""));
    assert_eq!(status, 304);
}

/// Clients that send a request and never its end: a program and the user are served meanwhile, and few of them keep a place.
fn slow_clients(setting: Setting, request: impl Fn(&Server) -> String, places: usize) {
    const CLIENTS: usize = 700;
    let context = context(b"");
    let server = serve(setting, &context);
    let browser = server.open(&server.line).unwrap();
    let slow = connect(&server, CLIENTS, &request(&server));
    for _ in 0..20 {
        assert_eq!(server.get("/v1/skills").0, 200);
        assert_eq!(browser.send("GET /", "", "").0, 200);
    }
    let open = || slow.iter().filter(|stream| !is_closed(stream)).count();
    // Later than this, their time is over, and none of them would be there.
    assert!(until(Duration::from_secs(10), || open() <= places), "{} of {CLIENTS} have a place", open());
    assert!(open() > 0, "they went for another reason");
}

fn slow_clients_without_the_token(setting: Setting) {
    let line = address(setting, "GET /v1/skills");
    slow_clients(setting, |_| format!("{line} HTTP/1.1\r\nhost: localhost\r\nx-slow: "), 256);
}

fn slow_bodies_with_the_token(setting: Setting) {
    let line = address(setting, "POST /v1/skills/pdf/activate");
    let request = |server: &Server| {
        let head = format!("host: localhost\r\nx-api-key: {}\r\ncontent-type: application/json\r\n", server.token);
        format!("{line} HTTP/1.1\r\n{head}content-length: 1000\r\n\r\n{{")
    };
    slow_clients(setting, request, 512);
}

/// One caller asks as many questions as it can: everyone else is still asked about.
fn a_flood_of_questions(setting: Setting) {
    let context = context(b"");
    let server = serve(setting, &context);
    let browser = server.open(&server.line).unwrap();
    let flood = begin(&server, "flood").1.unwrap();
    let ask = |number: usize| {
        let number = number.to_string();
        if setting.face == Face::Http {
            let body = json!({ "arguments": number }).to_string();
            return answer(server.send("POST /v1/skills/ask/activate", "", &body));
        }
        let call = json!({ "name": "ask", "arguments": { "arguments": number } });
        let (_, text) = in_session_as(&server, "flood", &flood, "prompts/get", &call);
        (if text.contains("needs-approval") { 202 } else { 503 }, text)
    };
    let mut asked = 0;
    let refused = loop {
        match ask(asked) {
            (202, _) => asked += 1,
            refused => break refused,
        }
        assert!(asked < 256, "one caller has all of them");
    };
    assert!(asked > 0 && refused.0 == 503, "{}", refused.1);
    assert!(refused.1.contains("too many questions of this caller wait"), "{}", refused.1);
    assert_eq!(ask(0).0, 202, "the same request has the same question");
    let user = browser.send("POST /v1/skills/ask/activate", "application/json", "{}");
    assert_eq!(user.0, 202, "{}", user.1);
    let session = begin(&server, "other").1.unwrap();
    let call = json!({ "name": "skill", "arguments": { "name": "ask" } });
    let called = in_session_as(&server, "other", &session, "tools/call", &call);
    assert!(called.1.contains("needs-approval"), "{}", called.1);
    if setting.face == Face::Http {
        assert_told_when_there_is_room(&server);
        assert_eq!(ask(asked + 1).0, 202);
    }
}

/// Who has no question left is told when the oldest of its questions lapses; one that is answered makes room.
fn assert_told_when_there_is_room(server: &Server) {
    let mut head = String::new();
    server.send("POST /v1/skills/ask/activate", "", "{}").read_to_string(&mut head).unwrap();
    let wait = head.lines().find_map(|line| line.strip_prefix("retry-after: ")).unwrap().trim();
    assert!((1..=600).contains(&wait.parse::<u32>().unwrap()), "{head}");
    let (_, text) = answer(server.send("POST /v1/skills/ask/activate", "", "{\"arguments\": \"0\"}"));
    let handle = text.split_once("\"handle\":\"").and_then(|(_, rest)| rest.split('"').next()).unwrap();
    answer(server.send(&format!("POST /v1/activations/{handle}"), "", "{\"answer\": \"no\"}"));
}

const MCP: &str = "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\n";

/// Begins a conversation over MCP: the status, and its id.
fn begin(server: &Server, agent: &str) -> (u16, Option<String>) {
    let info = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string();
    let mut text = String::new();
    let mut stream = server.send("POST /mcp", &format!("{MCP}user-agent: {agent}\r\n"), &body);
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let id = text.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).map(|id| id.trim().to_owned());
    assert!(status == 200 || text.contains("\r\nretry-after: "), "{text}");
    (status, id)
}

fn in_session(server: &Server, session: &str, method: &str, params: &Value) -> (u16, String) {
    in_session_as(server, "test", session, method, params)
}

fn in_session_as(server: &Server, agent: &str, session: &str, method: &str, params: &Value) -> (u16, String) {
    let body = json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params }).to_string();
    let headers = format!("{MCP}user-agent: {agent}\r\nmcp-session-id: {session}\r\n");
    answer(server.send("POST /mcp", &headers, &body))
}

/// A few programs ask one question in each of many conversations: others are still asked about.
fn many_conversations_that_ask(setting: Setting) {
    let context = context(b"");
    let server = serve(setting, &context);
    let call = json!({ "name": "skill", "arguments": { "name": "ask" } });
    let ask = |agent: &str| {
        let session = begin(&server, agent).1.unwrap();
        in_session_as(&server, agent, &session, "tools/call", &call).1
    };
    // As many questions as all programs together may have.
    for agent in ["a", "b", "c", "d"] {
        (0..48).for_each(|number| {
            let said = ask(agent);
            assert!(said.contains("needs-approval"), "{agent} {number}: {said}");
        });
    }
    let (status, text) = answer(server.send("POST /v1/skills/ask/activate", "user-agent: other\r\n", "{}"));
    assert_eq!(status, 202, "{text}");
    let said = ask("new");
    assert!(said.contains("needs-approval"), "{said}");
    // One that has as many as the others gets no more, and is told the reason.
    let said = ask("a");
    assert!(said.contains("too many questions of all callers wait"), "{said}");
}

/// Conversations without end push out no other.
fn a_flood_of_conversations(setting: Setting) {
    let context = context(b"");
    let server = serve(setting, &context);
    let (_, victim) = begin(&server, "victim");
    let victim = victim.unwrap();
    for number in 0..400 {
        let (status, session) = begin(&server, "flood");
        // Some are used, which makes them worth keeping.
        match session {
            Some(session) if number % 2 == 0 => {
                (0..2).for_each(|_| drop(in_session(&server, &session, "tools/list", &json!({}))));
            }
            _ => assert!([200, 503].contains(&status), "{status}"),
        }
    }
    assert_eq!(begin(&server, "flood").0, 503, "its share is in use");
    assert_eq!(in_session(&server, &victim, "tools/list", &json!({})).0, 200);
    assert_eq!(begin(&server, "newcomer").0, 200);
}
