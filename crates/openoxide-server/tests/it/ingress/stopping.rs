//! How everyone is seen out.

use std::time::Duration;

use openoxide_server::IngressLimits;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{PATIENCE, Server, is_closed_within, read};

async fn asking(server: &Server, path: &str) -> TcpStream {
    let mut stream = server.connect().await;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_silent_are_closed_at_once_and_what_has_begun_is_finished() {
    // Nothing here waits for the end of the time to stop: that would hang.
    let server =
        Server::with(IngressLimits { stop_time: Duration::from_hours(1), ..IngressLimits::default() }, false).await;
    let mut finishes = asking(&server, "/test/slow").await;
    let mut events = asking(&server, "/test/events").await;
    let mut idle = server.connect().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.engine.stopping().ask();
    assert!(is_closed_within(&mut idle, PATIENCE).await, "a silent connection is closed at once");
    // The listener closes on a task of its own, which may come a moment later.
    let refuses = async { while TcpStream::connect(server.address).await.is_ok() {} };
    tokio::time::timeout(PATIENCE, refuses).await.expect("nobody is let in any more");
    assert!(is_closed_within(&mut events, PATIENCE).await, "a stream ends");
    let finished = read(&mut finishes).await;
    assert_eq!(finished.status, 200, "{finished:?}");
    tokio::time::timeout(PATIENCE, server.ended).await.expect("it ends").unwrap();
}

/// On one thread: nothing is accepted between the requests and the signal.
#[tokio::test]
async fn requests_that_wait_to_be_let_in_are_answered() {
    use std::io::Write as _;
    let server = Server::start().await;
    tokio::task::yield_now().await;
    let waiting: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(server.address).unwrap();
            stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
            stream.set_nonblocking(true).unwrap();
            stream
        })
        .collect();
    server.engine.stopping().ask();
    for stream in waiting {
        let came = read(&mut TcpStream::from_std(stream).unwrap()).await;
        assert_eq!(came.status, 200, "{came:?}");
    }
    tokio::time::timeout(PATIENCE, server.ended).await.expect("it ends").unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_finishes_is_told_that_it_is_over() {
    let server =
        Server::with(IngressLimits { stop_time: Duration::from_secs(1), ..IngressLimits::default() }, false).await;
    let mut never = asking(&server, "/test/never").await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.engine.stopping().ask();
    let over = read(&mut never).await;
    assert_eq!((over.status, over.code().as_str()), (503, "stopping"), "{over:?}");
    assert!(!over.head.contains("retry-after: "), "nobody knows when: {over:?}");
    tokio::time::timeout(PATIENCE, server.ended).await.expect("it ends").unwrap();
}

/// Calls a tool over MCP, as the newest revision does.
async fn calls_tool(server: &Server) -> TcpStream {
    let meta = serde_json::json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = serde_json::json!({ "name": "skill", "arguments": { "name": "pdf" }, "_meta": meta });
    let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/call\r\nmcp-name: skill\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = server.connect().await;
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_over_mcp_that_has_begun_is_finished() {
    let server = Server::start().await;
    let ready = read(&mut calls_tool(&server).await).await;
    assert!(ready.status == 200 && ready.body.contains("# pdf"), "{ready:?}");
    // All threads are at work for a while, so the call has to wait.
    for _ in 0..16 {
        let engine = server.engine.clone().for_programs();
        tokio::spawn(async move { engine.work().run(|| std::thread::sleep(Duration::from_secs(1))).await });
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut slow = calls_tool(&server).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.engine.stopping().ask();
    let came = read(&mut slow).await;
    assert!(came.status == 200 && came.body.contains("# pdf"), "{came:?}");
    server.ended.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_waited_for_if_it_has_to_end_at_once() {
    // Longer than the test waits for the end.
    let limits = IngressLimits { stop_time: Duration::from_hours(1), ..IngressLimits::default() };
    let server = Server::with(limits, false).await;
    let mut never = asking(&server, "/test/never").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.engine.stopping().ask();
    server.engine.stopping().end();
    assert_eq!(read(&mut never).await.status, 503);
    tokio::time::timeout(PATIENCE, server.ended).await.expect("it ends").unwrap();
}
