//! What is no request, or none that anyone would send in good faith.

use openoxide_server::IngressLimits;

use super::{Server, read_one};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const ACTIVATE: &str = "/v1/skills/pdf/activate";

#[tokio::test]
async fn an_answer_that_panics_is_told_and_the_next_is_answered() {
    let server = Server::start().await;
    let came = server.get("/test/panic").await;
    assert_eq!((came.status, came.code().as_str()), (500, "failed"), "{came:?}");
    assert!(came.body.contains("\"request_id\"") && !came.body.contains("on purpose"), "{came:?}");
    assert_eq!(server.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn bodies_that_are_no_calls_are_refused() {
    let server = Server::start().await;
    let arguments = |text: &str| format!("{{\"arguments\":{text}}}");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let batch = format!("[{}]", vec!["{}"; 10_000].join(","));
    for (what, body) in [
        ("10 MB", arguments(&format!("\"{}\"", "x".repeat(10_000_000)))),
        ("depth 100,000", deep.clone()),
        ("depth 100,000 in a field", arguments(&deep)),
        ("an object in an object", format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000))),
        ("a batch of 10,000", batch),
        ("a key twice", "{\"arguments\":\"a\",\"arguments\":\"b\"}".to_owned()),
        ("an unknown key", "{\"rights\":true}".to_owned()),
        ("half of it", "{\"arguments\":\"a".to_owned()),
        ("a number too many", "{\"arguments\":1e999999}".to_owned()),
        ("nothing but space", " ".repeat(1000)),
    ] {
        let came = server.post_json(ACTIVATE, &body).await;
        assert!((400..500).contains(&came.status), "{what}: {} {}", came.status, came.head);
        assert!(!came.code().is_empty(), "{what}: {came:?}");
    }
    let mut bad = format!("POST {ACTIVATE} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n").into_bytes();
    bad.extend_from_slice(
        b"content-type: application/json\r\ncontent-length: 19\r\n\r\n{\"arguments\":\"\xff\xfe\xc0\"}",
    );
    let came = server.raw(&bad).await;
    assert!((400..500).contains(&came.status), "{came:?}");
    let unknown = server.ask(&format!("BREW {ACTIVATE}"), "", "").await;
    assert_eq!(unknown.status, 405, "{unknown:?}");
    assert_eq!(server.post_json(ACTIVATE, "{}").await.status, 200);
}

#[tokio::test]
async fn a_body_has_a_size_however_it_is_sent() {
    let limits = IngressLimits { body: 1000, ..IngressLimits::default() };
    let server = Server::with(limits, false).await;
    assert_eq!(server.post_json("/test/length", &"x".repeat(1000)).await.body, "1000");
    let large = server.post_json("/test/length", &"x".repeat(1001)).await;
    assert_eq!((large.status, large.code().as_str()), (413, "too-large"), "{large:?}");
    let usual = Server::start().await;
    let routes = usual.post_json("/v1/reload", &" ".repeat(5_000_000)).await;
    assert_eq!((routes.status, routes.code().as_str()), (413, "too-large"), "who sends it all is told: {routes:?}");
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n";
    let mut stream = usual.connect().await;
    let request = format!("{head}content-length: 7000000\r\n\r\n{}", " ".repeat(7_000_000));
    stream.write_all(request.as_bytes()).await.expect("all is taken");
    let messages = read_one(&mut stream).await;
    assert_eq!(messages.status, 413, "{messages:?}");
    assert!(messages.body.contains("-32600"), "{messages:?}");
    let head = "POST /test/length HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let asked = server.raw(format!("{head}expect: 100-continue\r\ncontent-length: 1001\r\n\r\n")).await;
    assert_eq!((asked.status, asked.code().as_str()), (413, "too-large"), "it is told before it is sent: {asked:?}");
    let chunk = format!("100\r\n{}\r\n", "x".repeat(256));
    let head = "POST /test/length HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
                transfer-encoding: chunked\r\n\r\n";
    let chunked = server.raw(format!("{head}{}0\r\n\r\n", chunk.repeat(3))).await;
    assert_eq!((chunked.status, chunked.code().as_str()), (411, "no-length"), "{chunked:?}");
}

#[tokio::test]
async fn a_body_that_ends_early_is_told_or_forgotten() {
    let server = Server::start().await;
    let mut stream = server.connect().await;
    let head =
        "POST /v1/reload HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{}";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.is_empty() || text.contains("400 Bad Request") && text.contains("did not arrive"), "{text}");
    assert_eq!(server.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_request_that_can_be_read_in_two_ways_is_not_read() {
    let server = Server::start().await;
    let post = |rest: &str| {
        format!("POST /test/length HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{rest}")
    };
    let smuggled = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    for (what, request) in [
        (
            "a length and chunks",
            post(&format!("content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}")),
        ),
        (
            "chunks and a length",
            post(&format!("transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n{smuggled}")),
        ),
        ("two lengths", post(&format!("content-length: 5\r\ncontent-length: 6\r\n\r\nhello{smuggled}"))),
        ("two lengths in one", post(&format!("content-length: 5, 6\r\n\r\nhello{smuggled}"))),
        ("a signed length", post(&format!("content-length: +5\r\n\r\nhello{smuggled}"))),
        ("chunks that are not last", post("transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n")),
        ("an unknown encoding", post("transfer-encoding: xchunked\r\n\r\n0\r\n\r\n")),
        ("a folded header", post("x-a: b\r\n c: d\r\ncontent-length: 0\r\n\r\n")),
        ("NUL in a header", post("x-a: b\0c\r\ncontent-length: 0\r\n\r\n")),
        ("a bare CR in a header", post("x-a: b\rc\r\ncontent-length: 0\r\n\r\n")),
        ("space before the colon", post("content-length : 5\r\n\r\nhello")),
        ("a chunk of no number", post("transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n")),
        ("a chunk beyond counting", post("transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello\r\n0\r\n\r\n")),
        ("a line of another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()),
        ("no version", "GET /healthz\r\n\r\n".to_owned()),
    ] {
        let came = server.raw(&request).await;
        assert!(came.status == 0 || (400..500).contains(&came.status), "{what}: {came:?}");
        assert!(!came.body.contains("200 OK"), "{what}: a second request was read: {came:?}");
    }
}

#[tokio::test]
async fn a_head_has_a_size() {
    let server = Server::start().await;
    let many = (0..200).map(|number| format!("x-{number}: y")).collect::<Vec<_>>().join("|");
    assert_eq!(server.ask("GET /healthz", &many, "").await.status, 431);
    assert_eq!(server.ask("GET /healthz", &format!("x-long: {}", "y".repeat(17_000)), "").await.status, 431);
    assert!([414, 431].contains(&server.get(&format!("/{}", "y".repeat(17_000))).await.status));
    assert_eq!(server.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn many_requests_on_one_connection_are_answered_in_turn() {
    let server = Server::start().await;
    let mut stream = server.connect().await;
    for _ in 0..50 {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        assert_eq!(read_one(&mut stream).await.status, 200);
    }
}
