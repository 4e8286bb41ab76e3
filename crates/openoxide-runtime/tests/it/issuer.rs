//! A server of tools that wants a login, and its issuer, on a port of this machine.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;
use url::form_urlencoded::parse;

pub(crate) const TOKEN: &str = "token-hunter2";
const CODE: &str = "code-hunter2";

/// The servers; their threads end with the test.
pub(crate) struct Issuer {
    pub(crate) origin: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// What was asked for, in order.
    seen: Vec<String>,
    /// Other answers than the right ones, by path: status, headers, body.
    other: BTreeMap<String, (u16, String, String)>,
    /// What the page was asked for.
    page: BTreeMap<String, String>,
}

impl Issuer {
    pub(crate) fn start() -> Issuer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let issuer = Issuer { origin: origin.clone(), state: Arc::clone(&state) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (origin, state) = (origin.clone(), Arc::clone(&state));
                thread::spawn(move || serve(stream.unwrap(), &origin, &state));
            }
        });
        issuer
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    /// Lets a path answer something else.
    pub(crate) fn answer(&self, path: &str, status: u16, headers: &str, body: &str) {
        let other = (status, headers.to_owned(), body.to_owned());
        self.state.lock().unwrap().other.insert(path.to_owned(), other);
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.state.lock().unwrap().seen.clone()
    }

    /// Returns what the issuer says about itself.
    pub(crate) fn about(&self) -> Value {
        about(&self.origin)
    }
}

fn about(origin: &str) -> Value {
    json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}/authorize?tenant=a"),
        "token_endpoint": format!("{origin}/token"),
        "registration_endpoint": format!("{origin}/register"),
        "code_challenge_methods_supported": ["plain", "S256"],
        "authorization_response_iss_parameter_supported": true,
    })
}

fn serve(mut stream: TcpStream, origin: &str, state: &Mutex<State>) {
    let Some((line, body)) = request(&mut stream) else { return };
    let (method, target) = line.split_once(' ').unwrap();
    let url = Url::parse(&format!("{origin}{}", target.split(' ').next().unwrap())).unwrap();
    let mut state = state.lock().unwrap();
    state.seen.push(format!("{method} {}", url.path()));
    let (status, headers, body) = match state.other.get(url.path()) {
        Some(other) => other.clone(),
        None => right(&mut state, origin, &url, &body),
    };
    let answer =
        format!("HTTP/1.1 {status} x\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
    let _ = stream.write_all(answer.as_bytes());
}

fn right(state: &mut State, origin: &str, url: &Url, body: &str) -> (u16, String, String) {
    let json = |value: Value| (200, "Content-Type: application/json\r\n".to_owned(), value.to_string());
    match url.path() {
        "/mcp" => {
            let place = format!("{origin}/.well-known/oauth-protected-resource/mcp");
            let header = format!("WWW-Authenticate: Bearer resource_metadata=\"{place}\", scope=\"read\"\r\n");
            (401, header, String::new())
        }
        "/.well-known/oauth-protected-resource/mcp" => {
            json(json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]}))
        }
        "/.well-known/oauth-authorization-server" => json(about(origin)),
        "/register" => {
            let wanted: Value = serde_json::from_str(body).unwrap();
            assert_eq!(wanted["token_endpoint_auth_method"], "none");
            let redirect = wanted["redirect_uris"][0].as_str().unwrap();
            assert!(redirect.starts_with("http://127.0.0.1:"), "{redirect}");
            let (_, headers, body) = json(json!({"client_id": "client-1"}));
            (201, headers, body)
        }
        "/authorize" => {
            state.page = url.query_pairs().into_owned().collect();
            let mut back = Url::parse(&state.page["redirect_uri"]).unwrap();
            let pairs = [("code", CODE), ("state", &state.page["state"]), ("iss", origin)];
            back.query_pairs_mut().extend_pairs(pairs);
            (302, format!("Location: {back}\r\n"), String::new())
        }
        "/token" => {
            let form: BTreeMap<String, String> = parse(body.as_bytes()).into_owned().collect();
            let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(form["code_verifier"].as_bytes()));
            let page = &state.page;
            let is_right = form["code"] == CODE
                && proof == page["code_challenge"]
                && page["code_challenge_method"] == "S256"
                && page["scope"] == "read"
                && page["tenant"] == "a"
                && ["redirect_uri", "client_id", "resource"].iter().all(|name| form[*name] == page[*name]);
            match is_right {
                true => json(json!({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 60})),
                false => (400, String::new(), json!({"error": "invalid_grant"}).to_string()),
            }
        }
        _ => (404, String::new(), String::new()),
    }
}

/// Reads a request: its first line, and its body.
fn request(stream: &mut TcpStream) -> Option<(String, String)> {
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                return Some((head.lines().next()?.to_owned(), body.to_owned()));
            }
        }
        match stream.read(&mut part).ok()? {
            0 => return None,
            count => bytes.extend_from_slice(&part[..count]),
        }
    }
}

/// Gets a page as a browser does; returns its status and where it leads.
pub(crate) fn get(address: &str) -> (u16, Option<String>) {
    let url = Url::parse(address).unwrap();
    let mut stream = TcpStream::connect(url.socket_addrs(|| None).unwrap()[0]).unwrap();
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    write!(stream, "GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", url.host_str().unwrap()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    let location = text.lines().find_map(|line| line.strip_prefix("Location: ")).map(str::to_owned);
    (status, location)
}
