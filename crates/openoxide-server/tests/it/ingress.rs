//! The door, over real sockets: who gets in, how much they may send, and how everyone is seen out.

mod load;
mod malformed;
mod person;
mod slow;
mod stopping;
mod who;

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Extension, Router};
use hyper::body::Frame;
use openoxide_live::Place;
use openoxide_server::{
    Access, AccessToken, BoundListener, Engine, EngineOptions, HttpOptions, Identity, Ingress, IngressLimits,
    IngressOptions, Login, OneTimeLinks, Peer, Token, router, serve,
};
use openoxide_testkit::TestContext;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::http::environment;

/// No test waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// What programs have to show where anything has to be shown.
const TOKEN: &str = "a-secret-of-some-length";

/// A server that listens on this machine.
struct Server {
    address: SocketAddr,
    engine: Engine,
    ended: JoinHandle<()>,
    links: OneTimeLinks,
    _context: TestContext,
}

/// What came back.
#[derive(Debug)]
struct Came {
    status: u16,
    head: String,
    body: String,
}

impl Server {
    /// Starts a server that wants nothing shown.
    async fn start() -> Server {
        Server::with(IngressLimits::default(), false).await
    }

    /// Starts a server that wants the token.
    async fn guarded(context: TestContext) -> Server {
        Server::of(context, IngressLimits::default(), true, true).await
    }

    async fn with(limits: IngressLimits, wants_token: bool) -> Server {
        let context = TestContext::new();
        context.skill("pdf", "Fills in forms");
        Server::of(context, limits, wants_token, false).await
    }

    /// Starts the real routes with a few more that are slow or large on purpose.
    #[expect(clippy::unused_async, reason = "it must be called within a runtime")]
    async fn of(context: TestContext, limits: IngressLimits, wants_token: bool, publishes: bool) -> Server {
        let sessions = Arc::default();
        let access = match wants_token {
            true => {
                let token = Token::new(&TOKEN.to_owned().into()).unwrap();
                Access::Secret { token: AccessToken::Named(token), sessions: Arc::clone(&sessions), publishes }
            }
            false => Access::Open,
        };
        let listening = BoundListener::open((Ipv4Addr::LOCALHOST, 0).into(), &access).unwrap();
        let address = listening.address();
        let engine = Engine::new(environment(&context), Place::of(context.project()), EngineOptions::default());
        let options = IngressOptions { hosts: vec!["skills.example".to_owned()], access, limits };
        let links = OneTimeLinks::below(&context.home().join(".openoxide"), address);
        let login = wants_token.then(|| Login { links: links.clone(), sessions });
        let served = HttpOptions { login, well_known: publishes, ..HttpOptions::default() };
        let door = Ingress::new(router(engine.clone(), served).merge(odd_routes()), &engine, options);
        let ours = engine.clone();
        let ended = tokio::spawn(async move { serve(listening, door, &ours).await });
        Server { address, engine, ended, links, _context: context }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends bytes, and reads until the other side has said all.
    async fn raw(&self, bytes: impl AsRef<[u8]>) -> Came {
        let mut stream = self.connect().await;
        // The other side may have heard enough before the end.
        let _ = stream.write_all(bytes.as_ref()).await;
        tokio::time::timeout(PATIENCE, read(&mut stream)).await.expect("an answer in time")
    }

    /// Asks with these headers, separated by `|`.
    async fn ask(&self, line: &str, headers: &str, body: &str) -> Came {
        let host = if headers.to_ascii_lowercase().contains("host:") { "" } else { "host: localhost|" };
        let headers = format!("{host}{headers}").replace('|', "\r\n");
        let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let end = if headers.is_empty() { "" } else { "\r\n" };
        self.raw(format!("{line} HTTP/1.1\r\nconnection: close\r\n{length}{headers}{end}\r\n{body}")).await
    }

    async fn get(&self, path: &str) -> Came {
        self.ask(&format!("GET {path}"), "", "").await
    }

    async fn post_json(&self, path: &str, body: &str) -> Came {
        self.ask(&format!("POST {path}"), "content-type: application/json", body).await
    }
}

impl Came {
    fn parse(text: &str) -> Came {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Came { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn code(&self) -> String {
        let json: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        json["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Reads an answer to its end; nothing if the connection is gone before.
async fn read(stream: &mut TcpStream) -> Came {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes).await {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}"),
    }
    Came::parse(&String::from_utf8_lossy(&bytes))
}

/// Reads one answer of a connection that stays open.
async fn read_one(stream: &mut TcpStream) -> Came {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase();
            let length = length.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            if body.len() >= length.and_then(|length| length.trim().parse().ok()).unwrap_or(0) {
                return Came::parse(&text);
            }
        }
        match stream.read(&mut buffer).await.unwrap_or(0) {
            0 => return Came::parse(&text),
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Whether a connection is closed by the other side within a time; what it says until then is ignored.
async fn is_closed_within(stream: &mut TcpStream, longest: Duration) -> bool {
    let mut buffer = vec![0; 64 * 1024];
    let end = async { while stream.read(&mut buffer).await.is_ok_and(|count| count > 0) {} };
    tokio::time::timeout(longest, end).await.is_ok()
}

/// Waits for something to become true.
async fn until(longest: Duration, done: impl Fn() -> bool) -> bool {
    let deadline = std::time::Instant::now() + longest;
    while !done() && std::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    done()
}

fn odd_routes() -> Router {
    Router::new()
        .route("/test/slow", get(|| async { tokio::time::sleep(Duration::from_millis(500)).await }))
        .route("/test/never", get(std::future::pending::<()>))
        .route("/test/large", get(|| async { vec![b'x'; 32 * 1024 * 1024] }))
        .route("/test/length", post(|body: Bytes| async move { body.len().to_string() }))
        .route("/test/events", get(events))
        .route("/test/who", get(who))
        .route("/test/panic", get(panics))
}

async fn panics() {
    panic!("on purpose");
}

/// Tells what the door says about a request.
async fn who(Extension(peer): Extension<Peer>, Extension(identity): Extension<Identity>) -> String {
    format!("{peer:?} {identity:?}")
}

/// Events that come as fast as somebody reads them.
async fn events() -> impl IntoResponse {
    let events = Bytes::from("data: 0123456789abcdef\n\n".repeat(1000));
    ([("content-type", "text/event-stream")], Body::new(Endless(events)))
}

/// A body that says the same again and again.
struct Endless(Bytes);

impl hyper::body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(Some(Ok(Frame::data(self.0.clone()))))
    }
}
