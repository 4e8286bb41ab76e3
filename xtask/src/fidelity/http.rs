//! A fake model on the loopback interface that records the HTTP requests it gets.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// What a program asked of the model.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) path: String,
    /// The body, or null if it is not JSON.
    pub(super) body: Value,
}

/// What the fake model says.
#[derive(Debug)]
pub(super) enum Reply {
    Json(Value),
    /// Server-sent events, each with its name.
    Events(Vec<(String, Value)>),
}

/// A running fake model; dropped, it stops.
#[derive(Debug)]
pub(super) struct FakeModel {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FakeModel {
    /// Starts a model that answers every request with `answer`.
    pub(super) fn start(answer: impl FnMut(&Request) -> Reply + Send + 'static) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let service = Service { listener, requests: Arc::clone(&requests), answer };
        let stopped = Arc::clone(&stop);
        let thread = Some(std::thread::spawn(move || service.serve(&stopped)));
        Ok(Self { address, requests, stop, thread })
    }

    /// Returns the address to put into a base URL.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns how many requests there were up to now.
    pub(super) fn count(&self) -> usize {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns the requests after the first so many.
    pub(super) fn since(&self, count: usize) -> Vec<Request> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.get(count..).unwrap_or_default().to_vec()
    }

    /// Returns the requests up to now.
    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already been printed; there is nothing left to stop.
            let _ = thread.join();
        }
    }
}

struct Service<F> {
    listener: TcpListener,
    requests: Arc<Mutex<Vec<Request>>>,
    answer: F,
}

/// A connection and what has been read from it.
struct Connection {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl<F: FnMut(&Request) -> Reply> Service<F> {
    /// Serves all connections in turns, because clients open some that they never use.
    fn serve(mut self, stopped: &AtomicBool) {
        let mut open: Vec<Connection> = Vec::new();
        while !stopped.load(Ordering::Relaxed) {
            if let Ok((stream, _)) = self.listener.accept() {
                open.extend(Connection::new(stream));
            } else {
                std::thread::sleep(Duration::from_millis(2));
            }
            open.retain_mut(|connection| self.advance(connection).unwrap_or(false));
        }
    }

    /// Reads what has come and answers a whole request; returns whether the connection stays open.
    fn advance(&mut self, connection: &mut Connection) -> Result<bool> {
        if !connection.fill()? {
            return Ok(false);
        }
        let Some((head, body)) = complete(&connection.bytes)? else {
            return Ok(true);
        };
        let (method, request) = parse(&head, &body)?;
        let reply = (self.answer)(&request);
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        connection.stream.set_nonblocking(false)?;
        connection.stream.write_all(&render(&method, &reply))?;
        Ok(false)
    }
}

impl Connection {
    fn new(stream: TcpStream) -> Option<Self> {
        stream.set_nonblocking(true).ok()?;
        Some(Self { stream, bytes: Vec::new() })
    }

    /// Takes in the bytes at hand; returns whether more may come.
    fn fill(&mut self) -> Result<bool> {
        let mut chunk = [0; 16384];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(n) => self.bytes.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Splits a request into head and body once both are there.
fn complete(bytes: &[u8]) -> Result<Option<(String, Vec<u8>)>> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = header(&head, "content-length").map_or(Ok(0), str::parse::<usize>)?;
    let body = &bytes[end + 4..];
    Ok((body.len() >= length).then(|| (head, body[..length].to_vec())))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn parse(head: &str, body: &[u8]) -> Result<(String, Request)> {
    if let Some(encoding) = header(head, "content-encoding") {
        bail!("the fake model reads no `{encoding}` bodies");
    }
    let mut words = head.split(' ');
    let method = words.next().context("request without a method")?.to_owned();
    let path = words.next().context("request without a path")?.to_owned();
    let body = serde_json::from_slice(body).unwrap_or(Value::Null);
    Ok((method, Request { path, body }))
}

fn render(method: &str, reply: &Reply) -> Vec<u8> {
    let (kind, body) = match reply {
        Reply::Json(value) => ("application/json", value.to_string()),
        Reply::Events(events) => ("text/event-stream", events.iter().map(event).collect()),
    };
    let body = if method == "HEAD" { String::new() } else { body };
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

fn event((name, data): &(String, Value)) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_answered_and_kept() {
        let model = FakeModel::start(|request| Reply::Json(request.body.clone())).unwrap();
        let mut unused = TcpStream::connect(model.address).unwrap();
        let mut stream = TcpStream::connect(model.address).unwrap();
        stream.write_all(b"POST /v1/x HTTP/1.1\r\nContent-Length: 7\r\n\r\n{\"a\":").unwrap();
        stream.write_all(b"1}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.ends_with("\r\n\r\n{\"a\":1}"), "{answer}");
        let requests = model.requests();
        assert_eq!((&*requests[0].path, &requests[0].body), ("/v1/x", &json!({ "a": 1 })));
        drop(model);
        assert_eq!(unused.read(&mut [0]).unwrap(), 0);
    }
}
