//! Clients that are slow on purpose, and clients that are many.

use std::time::Duration;

use openoxide_server::IngressLimits;
use openoxide_testkit::TestContext;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{PATIENCE, Server, TOKEN, is_closed_within, read_one, until};

/// As in earnest, but for how long it takes.
fn hurried() -> IngressLimits {
    let second = Duration::from_secs(1);
    IngressLimits { head_time: second, body_time: second, read_time: second, ..IngressLimits::default() }
}

async fn begun(server: &Server, count: usize, bytes: &str) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..count {
        let mut stream = server.connect().await;
        stream.write_all(bytes.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    streams
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_are_closed_and_disturb_nobody() {
    let server = Server::with(hurried(), false).await;
    let json = "host: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
    let mut slow = begun(&server, 150, "GET /healthz HTTP/1.1\r\nhost: loc").await;
    slow.extend(begun(&server, 100, &format!("POST /test/length HTTP/1.1\r\n{json}x")).await);
    slow.extend(begun(&server, 50, "GET /test/large HTTP/1.1\r\nhost: localhost\r\n\r\n").await);
    slow.extend(begun(&server, 100, "").await);
    for _ in 0..40 {
        assert_eq!(server.get("/healthz").await.status, 200, "others are answered meanwhile");
    }
    // Each of them says a little more, now and then, which does not help.
    for _ in 0..6 {
        for stream in &mut slow[..250] {
            let _ = stream.write_all(b"a").await;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    let gone = until(PATIENCE, || server.engine.metrics().connections() == 0).await;
    assert!(gone, "{} are still there", server.engine.metrics().connections());
    assert_eq!(server.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_slow_body_is_told_so() {
    let server = Server::with(hurried(), false).await;
    let head =
        "POST /test/length HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n";
    let came = server.raw(head).await;
    assert_eq!((came.status, came.code().as_str()), (408, "too-slow"), "{came:?}");
}

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let server = Server::with(hurried(), false).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    assert_eq!(read_one(&mut stream).await.status, 200);
    assert!(is_closed_within(&mut stream, PATIENCE).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listeners_that_do_not_read_are_dropped_and_hold_little() {
    let server = Server::with(hurried(), false).await;
    let before = memory();
    let mut deaf = begun(&server, 100, "GET /test/events HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert!(until(PATIENCE, || server.engine.metrics().connections() == 100).await);
    assert_eq!(server.get("/healthz").await.status, 200);
    let held = memory().saturating_sub(before);
    assert!(held < 64 * 1024, "{held} KiB are held for 100 that do not read");
    let gone = until(PATIENCE, || server.engine.metrics().connections() == 0).await;
    assert!(gone, "{} are still there", server.engine.metrics().connections());
    assert!(is_closed_within(&mut deaf[0], PATIENCE).await);
}

#[tokio::test]
async fn there_are_so_many_streams_and_no_more() {
    let server = Server::with(IngressLimits { streams: 2, ..IngressLimits::default() }, false).await;
    let listening = begun(&server, 2, "GET /test/events HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    let streams = || server.engine.metrics().render().contains("openoxide_http_streams 2\n");
    assert!(until(PATIENCE, streams).await);
    let third = server.get("/test/events").await;
    assert_eq!((third.status, third.code().as_str()), (503, "busy"), "{third:?}");
    assert!(!third.head.contains("retry-after: "), "nobody knows when: {third:?}");
    drop(listening);
    assert!(until(PATIENCE, || !streams()).await);
}

#[tokio::test]
async fn whoever_has_shown_nothing_gives_way_to_the_next_and_disturbs_nobody_who_has() {
    let server = Server::with(IngressLimits { connections: 8, ..IngressLimits::default() }, true).await;
    let known = format!("GET /v1/skills HTTP/1.1\r\nhost: localhost\r\nx-api-key: {TOKEN}\r\n\r\n");
    let mut program = begun(&server, 1, &known).await.remove(0);
    assert_eq!(read_one(&mut program).await.status, 200);
    let mut silent = begun(&server, 40, "GET /healthz HTTP/1.1\r\nhost: loc").await;
    assert!(until(PATIENCE, || server.engine.metrics().connections() == 3).await, "the program, and a quarter");
    for stream in &mut silent[..38] {
        assert!(is_closed_within(stream, PATIENCE).await);
    }
    for _ in 0..10 {
        assert_eq!(server.get("/healthz").await.status, 200, "the next one gets in");
        program.write_all(known.as_bytes()).await.unwrap();
        assert_eq!(read_one(&mut program).await.status, 200);
    }
}

#[tokio::test]
async fn programs_that_are_slow_give_way_to_programs_and_the_user_always_gets_in() {
    let context = TestContext::new();
    context.skill("pdf", "Fills in forms");
    let limits = IngressLimits { connections: 8, ..IngressLimits::default() };
    let server = Server::of(context, limits, true, false).await;
    let browser = server.browser().await;
    let headers =
        format!("host: localhost\r\nx-api-key: {TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n");
    let mut slow = begun(&server, 12, &format!("POST /test/length HTTP/1.1\r\n{headers}\r\nx")).await;
    for _ in 0..10 {
        assert_eq!(browser.page().await.status, 200);
        assert_eq!(server.program("GET /v1/skills", "").await.status, 200);
    }
    for stream in &mut slow[..8] {
        assert!(is_closed_within(stream, PATIENCE).await);
    }
    // Those that wait for the server keep their places.
    let wait = format!("GET /test/never HTTP/1.1\r\nhost: localhost\r\nx-api-key: {TOKEN}\r\n\r\n");
    let waiting = begun(&server, 4, &wait).await;
    let refused = async || server.program("GET /v1/skills", "").await;
    while refused().await.status == 200 {}
    let refused = refused().await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "busy"), "{refused:?}");
    assert_eq!(browser.page().await.status, 200);
    drop(waiting);
}

#[tokio::test]
async fn answers_that_are_not_read_hold_no_more_than_they_may() {
    for (slow_time, gives_way) in [(Duration::from_hours(1), false), (Duration::ZERO, true)] {
        let limits = IngressLimits { bytes: 64 * 1024 * 1024, slow_time, ..IngressLimits::default() };
        let server = Server::with(limits, true).await;
        let ask = format!("GET /test/large HTTP/1.1\r\nhost: localhost\r\nx-api-key: {TOKEN}\r\n\r\n");
        let mut deaf = begun(&server, 1, &ask).await.remove(0);
        assert!(read_some(&mut deaf).await, "the first is on its way");
        let next = server.program("GET /test/large", "").await;
        assert_eq!(next.status, if gives_way { 200 } else { 503 }, "{}", next.head);
        assert!(!next.head.contains("retry-after"), "nobody knows when: {}", next.head);
        assert_eq!(server.program("GET /v1/skills", "").await.status, 200, "small answers need no room");
        if gives_way {
            assert!(is_closed_within(&mut deaf, PATIENCE).await);
        }
    }
}

/// Reads a little of an answer.
async fn read_some(stream: &mut TcpStream) -> bool {
    stream.read(&mut [0; 100]).await.is_ok_and(|count| count > 0)
}

/// How much memory this process has, in KiB.
fn memory() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
