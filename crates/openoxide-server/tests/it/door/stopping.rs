//! How everybody is seen out.

use std::time::{Duration, Instant};

use openoxide_server::DoorLimits;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{Server, is_closed_within, read};

async fn asking(server: &Server, path: &str) -> TcpStream {
    let mut stream = server.connect().await;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_begun_is_finished_or_told_that_it_is_over() {
    let server = Server::with(DoorLimits { stop_time: Duration::from_secs(2), ..DoorLimits::default() }, None).await;
    let mut finishes = asking(&server, "/test/slow").await;
    let mut never = asking(&server, "/test/never").await;
    let mut events = asking(&server, "/test/events").await;
    let mut idle = server.connect().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let began = Instant::now();
    server.engine.stopping().ask();
    assert!(is_closed_within(&mut idle, Duration::from_secs(1)).await, "a silent connection is closed at once");
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody is let in any more");
    assert!(is_closed_within(&mut events, Duration::from_secs(1)).await, "a stream ends");
    let finished = read(&mut finishes).await;
    assert_eq!(finished.status, 200, "{finished:?}");
    let over = read(&mut never).await;
    assert_eq!((over.status, over.code().as_str()), (503, "stopping"), "{over:?}");
    assert!(over.head.contains("retry-after: "), "{over:?}");
    server.ended.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(4), "it took {:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_waited_for_if_it_has_to_end_at_once() {
    let server = Server::start().await;
    let mut never = asking(&server, "/test/never").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let began = Instant::now();
    server.engine.stopping().ask();
    server.engine.stopping().end();
    assert_eq!(read(&mut never).await.status, 503);
    server.ended.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(2), "it took {:?}", began.elapsed());
}
