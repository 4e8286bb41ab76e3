//! Listens on a loopback port for the one request that brings the browser back from a login.
//!
//! It answers one short request, for which an HTTP server would be a large dependency.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use openoxide_runtime::{Callback, LoginError, Returned};
use url::form_urlencoded::parse;

/// Longest head of a request that is read.
const MAX_HEAD: usize = 16 * 1024;
/// How long one connection may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long nothing is done between two looks for a connection.
const PAUSE: Duration = Duration::from_millis(20);

const PATH: &str = "/callback";

/// Opens a free port of this machine; returns it, and the address that a browser is sent to.
pub(super) fn listen() -> Result<(TcpListener, String), LoginError> {
    let failed = |error: io::Error| LoginError::NoListener(error.to_string());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    Ok((listener, format!("http://127.0.0.1:{port}{PATH}")))
}

/// Waits for the one request that belongs to the login. Others are turned away, and do not end it.
pub(super) fn wait(listener: &TcpListener, callback: &Callback, time: Duration) -> Result<Returned, LoginError> {
    let end = Instant::now() + time;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Some(returned) = serve(stream, callback, end) {
                    return Ok(returned);
                }
            }
            // None waits yet, or one failed, which says nothing about the next.
            Err(_) => std::thread::sleep(PAUSE),
        }
        if Instant::now() >= end {
            return Err(LoginError::TimedOut(time.as_secs()));
        }
    }
}

fn serve(mut stream: TcpStream, callback: &Callback, end: Instant) -> Option<Returned> {
    let end = end.min(Instant::now() + PATIENCE);
    stream.set_nonblocking(false).ok()?;
    let head = head(&mut stream, end)?;
    let query = query(&head).filter(|query| belongs(query, callback));
    let (status, text) = match query {
        Some(_) => ("200 OK", "OpenOxide has what it needs. You can close this page."),
        None => ("404 Not Found", "This is no answer to a login that is under way."),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: \
         no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let _ = stream.write_all(answer.as_bytes());
    query.map(Returned::from_query)
}

/// Reads the head of a request, as far as its end, the limit or the time.
fn head(stream: &mut TcpStream, end: Instant) -> Option<String> {
    let mut bytes = Vec::new();
    let mut part = [0; 1024];
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        stream.set_read_timeout(Some(left)).ok()?;
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
        if bytes.len() > MAX_HEAD {
            return None;
        }
    }
    String::from_utf8(bytes).ok()
}

fn query(head: &str) -> Option<&str> {
    let mut words = head.lines().next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let query = target.strip_prefix(PATH)?.strip_prefix('?')?;
    (method == "GET" && version.starts_with("HTTP/1.")).then_some(query)
}

fn belongs(query: &str, callback: &Callback) -> bool {
    parse(query.as_bytes()).any(|(key, value)| key == "state" && value == callback.state)
}
