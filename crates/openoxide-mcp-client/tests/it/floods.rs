//! Servers that say much, or little at a time, and never what they were asked.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use openoxide_config::McpTransport;
use openoxide_mcp_client::{Limits, Remote, RemoteOptions};

use crate::transport::{hasty, problems};
use crate::{at, configured, environment};

const NOTICE: &str = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;

/// A client of a shell that says something for ever.
fn shell(script: &str) -> Remote {
    let args = vec!["-c".to_owned(), script.to_owned()];
    let transport = McpTransport::Stdio { command: "/bin/sh".to_owned(), args, env: Vec::new() };
    let options = RemoteOptions { environment: environment(""), limits: hasty(), ..RemoteOptions::default() };
    Remote::new(vec![configured("docs", transport)], options)
}

/// A client of an address that begins an answer, and goes on with this for ever.
fn drip(kind: &'static str, part: String, pause: Duration, limits: Limits) -> Remote {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let part = part.clone();
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 16_000]);
                let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
                let mut written = stream.write_all(head.as_bytes());
                while written.is_ok() {
                    written = stream.write_all(part.as_bytes());
                    std::thread::sleep(pause);
                }
            });
        }
    });
    Remote::new(vec![at("docs", &url)], RemoteOptions { limits, ..RemoteOptions::default() })
}

#[tokio::test]
async fn a_flood_of_notices_is_no_answer() {
    let late = "the MCP server `docs` did not answer `server/discover` within 1 s";
    assert_eq!(problems(&shell(&format!("while :; do echo '{NOTICE}'; done"))).await, [late]);
    let events = format!("data: {NOTICE}\n\n").repeat(1000);
    let limits = Limits { message: 1_000_000, connect: Duration::from_mins(1), ..hasty() };
    let said = problems(&drip("text/event-stream", events, Duration::ZERO, limits)).await;
    assert_eq!(said, ["the MCP server `docs` cannot be used: a message is longer than 1000000 bytes"]);
}

#[tokio::test]
async fn an_answer_that_drips_is_given_up() {
    let late = "the MCP server `docs` did not answer `server/discover` within 1 s";
    assert_eq!(problems(&shell("while :; do printf '{'; sleep 0.05; done")).await, [late]);
    for kind in ["application/json", "text/event-stream"] {
        let remote = drip(kind, "{".to_owned(), Duration::from_millis(50), hasty());
        assert_eq!(problems(&remote).await, [late], "{kind}");
    }
}

#[tokio::test]
async fn a_line_without_an_end_is_cut() {
    let limits = Limits { message: 1_000_000, connect: Duration::from_mins(1), ..hasty() };
    let args = vec!["-c".to_owned(), "head -c 5000000 /dev/zero; sleep 600".to_owned()];
    let transport = McpTransport::Stdio { command: "/bin/sh".to_owned(), args, env: Vec::new() };
    let options = RemoteOptions { environment: environment(""), limits, ..RemoteOptions::default() };
    let said = problems(&Remote::new(vec![configured("docs", transport)], options)).await;
    assert_eq!(said, ["the MCP server `docs` cannot be used: a message is longer than 1000000 bytes"]);
}
