//! The routes behind the door, over a socket: what is changed on disk is told as it happens.

use std::net::SocketAddr;
use std::time::Duration;

use openoxide_live::Place;
use openoxide_server::{
    Access, BoundListener, Engine, EngineOptions, HttpOptions, Ingress, IngressLimits, IngressOptions, router, serve,
};
use openoxide_testkit::TestContext;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::environment;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_skill_that_is_added_is_told_to_whoever_listens() {
    let context = TestContext::new();
    context.skill("deploy", "Ship it");
    let engine = Engine::new(environment(&context), Place::of(context.project()), EngineOptions::default());
    let listening = BoundListener::open(SocketAddr::from(([127, 0, 0, 1], 0)), &Access::Open).unwrap();
    let address = listening.address();
    let options = IngressOptions { hosts: Vec::new(), access: Access::Open, limits: IngressLimits::default() };
    let door = Ingress::new(router(engine.clone(), HttpOptions::default()), &engine, options);
    let ours = engine.clone();
    let ended = tokio::spawn(async move { serve(listening, door, &ours).await });
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET /v1/events HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut next = async |wanted: &str| loop {
        let line = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await;
        let line = line.expect("in time").unwrap().expect("the stream goes on");
        if line.starts_with(wanted) {
            return line;
        }
    };
    assert_eq!(next("HTTP/").await, "HTTP/1.1 200 OK");
    assert_eq!(next("event:").await, "event: version");
    context.skill("notes", "Write notes");
    assert_eq!(next("event:").await, "event: change");
    let data = next("data:").await;
    // By the id that the list has, before and after it is gone.
    assert!(data.contains("\"added\":[{\"id\":\"notes\",\"name\":\"notes\"}]"), "{data}");
    std::fs::remove_dir_all(context.project().join(".agents/skills/notes")).unwrap();
    assert_eq!(next("event:").await, "event: change");
    let data = next("data:").await;
    assert!(data.contains("\"removed\":[{\"id\":\"notes\",\"name\":\"notes\"}]"), "{data}");
    engine.stopping().ask();
    tokio::time::timeout(Duration::from_secs(30), ended).await.expect("a stream does not keep the server").unwrap();
}
