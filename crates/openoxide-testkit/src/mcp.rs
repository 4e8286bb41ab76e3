//! An MCP server that offers skills and misbehaves on demand, over HTTP or over standard input and output.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::request::read_request;

const EXTENSION: &str = "io.modelcontextprotocol/skills";

/// An answer of the server.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A result.
    Result(Value),
    /// An error.
    Error(i64, String),
    /// Raw bytes instead of a message.
    Raw(String),
    /// Over HTTP, a status with headers and no body; over pipes, nothing.
    Status(u16, String),
    /// No answer for a long time.
    Silence,
    /// No answer, and the connection is closed.
    Gone,
}

/// Replaces an answer of the server; `None` keeps it. The number counts requests from 0.
pub type Twist = Box<dyn Fn(usize, &str, &Value) -> Option<Reply> + Send + Sync>;

/// An MCP server that offers skills.
pub struct SkillServer {
    entries: Vec<Value>,
    files: BTreeMap<String, Vec<u8>>,
    twist: Twist,
    extension: Option<Value>,
    legacy: bool,
    fresh: u64,
    /// The requests in order: method and parameters.
    seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Default for SkillServer {
    fn default() -> SkillServer {
        SkillServer {
            entries: Vec::new(),
            files: BTreeMap::new(),
            twist: Box::new(|_, _, _| None),
            extension: Some(json!({"directoryRead": true})),
            legacy: false,
            fresh: 0,
            seen: Arc::default(),
        }
    }
}

/// Returns the digest of bytes, as entries write it.
pub fn sha256(bytes: &[u8]) -> String {
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns the text of a skill's own file. The frontmatter is written as JSON, which is YAML.
pub fn skill_file(frontmatter: &Value, body: &str) -> String {
    let mut text = "---\n".to_owned();
    for (key, value) in frontmatter.as_object().into_iter().flatten() {
        let _ = writeln!(text, "{key}: {value}");
    }
    format!("{text}---\n{body}")
}

impl SkillServer {
    /// Offers a skill at a path, whose last part is its name, with more files.
    #[must_use]
    pub fn skill(self, path: &str, description: &str, body: &str, files: &[(&str, &[u8])]) -> SkillServer {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.skill_with(path, &json!({"name": name, "description": description}), body, files)
    }

    /// Offers a skill with any frontmatter.
    #[must_use]
    pub fn skill_with(mut self, path: &str, frontmatter: &Value, body: &str, files: &[(&str, &[u8])]) -> SkillServer {
        let uri = |file: &str| format!("skill://{path}/{file}");
        let own = skill_file(frontmatter, body).into_bytes();
        let all = std::iter::once(("SKILL.md", own.as_slice())).chain(files.iter().copied());
        let mut resources = Vec::new();
        for (file, bytes) in all {
            resources.push(json!({"uri": uri(file), "digest": sha256(bytes), "size": bytes.len()}));
            self.files.insert(uri(file), bytes.to_vec());
        }
        self.entries.push(json!({"uri": uri("SKILL.md"), "frontmatter": frontmatter, "resources": resources}));
        self
    }

    /// Changes the last entry, but not the files.
    #[must_use]
    pub fn entry(mut self, pointer: &str, value: Value) -> SkillServer {
        if let Some(place) = self.entries.last_mut().and_then(|entry| entry.pointer_mut(pointer)) {
            *place = value;
        }
        self
    }

    /// Changes the file at an address, but not the entry.
    #[must_use]
    pub fn serves(mut self, uri: &str, bytes: &[u8]) -> SkillServer {
        self.files.insert(uri.to_owned(), bytes.to_vec());
        self
    }

    /// Replaces answers.
    #[must_use]
    pub fn twisted(
        mut self,
        twist: impl Fn(usize, &str, &Value) -> Option<Reply> + Send + Sync + 'static,
    ) -> SkillServer {
        self.twist = Box::new(twist);
        self
    }

    /// Speaks the protocol from before 2026.
    #[must_use]
    pub fn legacy(mut self) -> SkillServer {
        self.legacy = true;
        self
    }

    /// Does not announce that it offers skills.
    #[must_use]
    pub fn without_skills(mut self) -> SkillServer {
        self.extension = None;
        self
    }

    /// Announces how long its lists stay valid, in milliseconds.
    #[must_use]
    pub fn fresh(mut self, milliseconds: u64) -> SkillServer {
        self.fresh = milliseconds;
        self
    }

    /// Answers one message. Returns `None` for a notification.
    fn answer(&self, message: &Value) -> Option<(Value, Reply)> {
        let method = message.get("method")?.as_str()?.to_owned();
        let (id, params) = (message.get("id")?.clone(), message.get("params").cloned().unwrap_or(Value::Null));
        let number = {
            let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            seen.push((method.clone(), params.clone()));
            seen.len() - 1
        };
        let reply = (self.twist)(number, &method, &params).unwrap_or_else(|| self.honestly(&method, &params));
        Some((id, reply))
    }

    fn honestly(&self, method: &str, params: &Value) -> Reply {
        let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
        let unknown = || Reply::Error(-32602, format!("nothing is served at {uri}"));
        let cached = |mut result: Value| {
            result["resultType"] = json!("complete");
            result["ttlMs"] = json!(self.fresh);
            result["cacheScope"] = json!("private");
            Reply::Result(result)
        };
        match method {
            "server/discover" if !self.legacy => cached(json!({
                "supportedVersions": ["2026-07-28"], "capabilities": self.capabilities(),
            })),
            "initialize" => Reply::Result(json!({
                "protocolVersion": "2025-11-25", "capabilities": self.capabilities(),
                "serverInfo": {"name": "test", "version": "1"},
            })),
            "skills/list" => cached(json!({"skills": self.entries})),
            "skills/get" => match self.entries.iter().find(|entry| entry["uri"] == uri) {
                Some(entry) => cached(json!({"skill": entry})),
                None => unknown(),
            },
            "resources/read" => match self.files.get(uri) {
                Some(bytes) => cached(json!({"contents": [content(uri, bytes)]})),
                None => unknown(),
            },
            "resources/directory/read" => match self.children(uri) {
                children if children.is_empty() => unknown(),
                children => Reply::Result(json!({"resultType": "complete", "resources": children})),
            },
            other => Reply::Error(-32601, format!("there is no {other}")),
        }
    }

    fn capabilities(&self) -> Value {
        let mut capabilities = json!({"resources": {}});
        if let Some(extension) = &self.extension {
            capabilities["extensions"] = json!({EXTENSION: extension});
        }
        capabilities
    }

    fn children(&self, folder: &str) -> Vec<Value> {
        let mut children = BTreeMap::new();
        for below in self.files.keys().filter_map(|uri| uri.strip_prefix(folder)?.strip_prefix('/')) {
            match below.split_once('/') {
                None => children.insert(below, "text/plain"),
                Some((child, _)) => children.insert(child, "inode/directory"),
            };
        }
        let line =
            |(name, kind): (&str, &str)| json!({"uri": format!("{folder}/{name}"), "name": name, "mimeType": kind});
        children.into_iter().map(line).collect()
    }

    /// Serves standard input until its end.
    ///
    /// # Panics
    ///
    /// If standard output is closed.
    pub fn serve_stdio(&self) {
        for line in std::io::stdin().lock().lines() {
            let Ok(message) = line.map(|line| serde_json::from_str::<Value>(&line).unwrap_or_default()) else { return };
            let Some((id, reply)) = self.answer(&message) else { continue };
            let text = match reply {
                Reply::Gone => return,
                Reply::Silence => {
                    std::thread::sleep(Duration::from_secs(30));
                    continue;
                }
                Reply::Status(..) => continue,
                Reply::Raw(text) => text,
                other => message_text(&id, &other),
            };
            let mut out = std::io::stdout().lock();
            out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush()).expect("the client reads");
        }
    }

    /// Serves HTTP on loopback, in threads that end with the process.
    ///
    /// # Panics
    ///
    /// If no port is free.
    #[must_use]
    pub fn serve_http(self) -> ServedSkills {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}/mcp", listener.local_addr().expect("it has an address"));
        let (seen, heads) = (Arc::clone(&self.seen), Arc::new(Mutex::new(Vec::new())));
        let (server, kept) = (Arc::new(self), Arc::clone(&heads));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (server, heads) = (Arc::clone(&server), Arc::clone(&kept));
                std::thread::spawn(move || while serve_one(&server, &stream, &heads).is_some() {});
            }
        });
        ServedSkills { url, seen, heads }
    }
}

/// A server that runs over HTTP.
pub struct ServedSkills {
    /// Its address.
    pub url: String,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl ServedSkills {
    /// Returns the requests, in order.
    ///
    /// # Panics
    ///
    /// If a thread of the server panicked.
    pub fn seen(&self) -> Vec<String> {
        let line = |(method, params): &(String, Value)| match params.get("uri").and_then(Value::as_str) {
            Some(uri) => format!("{method} {uri}"),
            None => method.clone(),
        };
        self.seen.lock().expect("the server is well").iter().map(line).collect()
    }

    /// Returns the parameters of each request.
    ///
    /// # Panics
    ///
    /// If a thread of the server panicked.
    pub fn params(&self) -> Vec<Value> {
        self.seen.lock().expect("the server is well").iter().map(|(_, params)| params.clone()).collect()
    }

    /// Returns the heads of the HTTP requests.
    ///
    /// # Panics
    ///
    /// If a thread of the server panicked.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("the server is well").clone()
    }
}

fn content(uri: &str, bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({"uri": uri, "mimeType": "text/markdown", "text": text}),
        Err(_) => json!({"uri": uri, "blob": base64(bytes)}),
    }
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number =
            (0..3).fold(0_usize, |sum, place| sum << 8 | chunk.get(place).map_or(0, |byte| usize::from(*byte)));
        for place in 0..4 {
            let digit = char::from(ALPHABET[number >> (18 - 6 * place) & 63]);
            text.push(if place <= chunk.len() { digit } else { '=' });
        }
    }
    text
}

fn message_text(id: &Value, reply: &Reply) -> String {
    match reply {
        Reply::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string(),
        Reply::Error(code, text) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}).to_string()
        }
        Reply::Raw(text) => text.clone(),
        Reply::Status(..) | Reply::Silence | Reply::Gone => String::new(),
    }
}

/// Answers one request of a connection. Returns `None` if the connection is closed.
fn serve_one(server: &SkillServer, stream: &TcpStream, heads: &Mutex<Vec<String>>) -> Option<()> {
    let (head, message) = read_request(stream)?;
    heads.lock().ok()?.push(head);
    let (status, headers, body) = match server.answer(&message) {
        None => (202, String::new(), String::new()),
        Some((_, Reply::Gone)) => return None,
        Some((_, Reply::Silence)) => {
            std::thread::sleep(Duration::from_secs(30));
            return None;
        }
        Some((_, Reply::Status(status, headers))) => (status, headers, String::new()),
        Some((id, reply)) => (200, "Content-Type: application/json\r\n".to_owned(), message_text(&id, &reply)),
    };
    let head = format!("HTTP/1.1 {status} Status\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    let mut stream = stream;
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).ok()
}
