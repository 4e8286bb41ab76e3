//! A server of models that answers by a script, over HTTP on loopback, and misbehaves on demand.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::request::read_request;

/// What a server does with one request for a reply.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A status with lines of headers, each with its end, and a body.
    Status(u16, String, String),
    /// A whole stream of events.
    Stream(String),
    /// The beginning of a stream, and then the connection breaks.
    Cut(String),
    /// The same events without end.
    Endless(String),
    /// Nothing for a while, and then something else.
    Late(Duration, Box<Answer>),
    /// The connection is closed without a word.
    Gone,
}

impl Answer {
    /// Makes a status with a body of JSON.
    #[must_use]
    pub fn json(status: u16, body: &Value) -> Answer {
        Answer::Status(status, "Content-Type: application/json\r\n".to_owned(), body.to_string())
    }
}

/// The events of chat completions.
pub mod openai {
    use serde_json::{Value, json};

    use super::lines;

    /// Returns events with these texts, without an end.
    #[must_use]
    pub fn texts(texts: &[&str]) -> String {
        lines(texts.iter().map(|text| json!({"choices": [{"index": 0, "delta": {"content": text}}]})))
    }

    /// Returns events with these tool calls, each in two pieces that are mixed.
    #[must_use]
    pub fn calls(calls: &[(&str, &str, &str)]) -> String {
        let piece = |index: usize, call: Value| {
            let mut call = call;
            call["index"] = json!(index);
            json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
        };
        let begin = calls.iter().enumerate().map(|(index, (id, name, _))| {
            piece(index, json!({"id": id, "type": "function", "function": {"name": name, "arguments": ""}}))
        });
        let rest = calls
            .iter()
            .enumerate()
            .map(|(index, (_, _, arguments))| piece(index, json!({"function": {"arguments": arguments}})));
        lines(begin.chain(rest))
    }

    /// Returns the end of a reply: 9 tokens were read, and 2 written.
    #[must_use]
    pub fn end(reason: &str) -> String {
        let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}});
        lines([stop, usage]) + "data: [DONE]\n\n"
    }

    /// Returns a whole reply of one text.
    #[must_use]
    pub fn reply(text: &str) -> String {
        texts(&[text]) + &end("stop")
    }
}

/// The events of Anthropic's messages.
pub mod anthropic {
    use serde_json::json;

    use super::lines;

    /// Returns the beginning of a reply, for which 9 tokens were read, and texts.
    #[must_use]
    pub fn texts(texts: &[&str]) -> String {
        let start = json!({"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}});
        let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
        let deltas = texts.iter().map(
            |text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        );
        let stop = json!({"type": "content_block_stop", "index": 0});
        lines([start, json!({"type": "ping"}), block].into_iter().chain(deltas).chain([stop]))
    }

    /// Returns events with these tool calls.
    #[must_use]
    pub fn calls(calls: &[(&str, &str, &str)]) -> String {
        lines(calls.iter().enumerate().flat_map(|(index, (id, name, arguments))| {
            let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
            let delta = json!({"type": "input_json_delta", "partial_json": arguments});
            [
                json!({"type": "content_block_start", "index": index + 1, "content_block": block}),
                json!({"type": "content_block_delta", "index": index + 1, "delta": delta}),
                json!({"type": "content_block_stop", "index": index + 1}),
            ]
        }))
    }

    /// Returns the end of a reply: 2 tokens were written.
    #[must_use]
    pub fn end(reason: &str) -> String {
        let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 2}});
        lines([delta, json!({"type": "message_stop"})])
    }

    /// Returns a whole reply of one text.
    #[must_use]
    pub fn reply(text: &str) -> String {
        texts(&[text]) + &end("end_turn")
    }
}

/// Writes events, each named by its type where it has one.
fn lines(events: impl IntoIterator<Item = Value>) -> String {
    let mut text = String::new();
    for event in events {
        if let Some(name) = event["type"].as_str() {
            let _ = writeln!(text, "event: {name}");
        }
        let _ = write!(text, "data: {event}\n\n");
    }
    text
}

/// A server of models.
#[derive(Debug)]
pub struct ModelServer {
    /// The address of its API.
    pub url: String,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl ModelServer {
    /// Serves models of these names on loopback, in threads that end with the process. Each request for a reply gets the
    /// next answer; the last one is for all that follow.
    ///
    /// # Panics
    ///
    /// If no port is free.
    #[must_use]
    pub fn new(models: &[&str], answers: Vec<Answer>) -> ModelServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}/v1", listener.local_addr().expect("it has an address"));
        let seen = Arc::default();
        let list = json!({"object": "list", "data": models.iter().map(|id| json!({"id": id})).collect::<Vec<_>>()});
        let script = Arc::new(Script { seen: Arc::clone(&seen), answers, list });
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let script = Arc::clone(&script);
                std::thread::spawn(move || serve_one(&script, &stream));
            }
        });
        ModelServer { url, seen }
    }

    /// Returns the requests in order: each head in lower case but for values, and its body.
    ///
    /// # Panics
    ///
    /// If a thread of the server panicked.
    #[must_use]
    pub fn seen(&self) -> Vec<(String, Value)> {
        self.seen.lock().expect("the server is well").clone()
    }

    /// Returns the port.
    ///
    /// # Panics
    ///
    /// Never: the address has one.
    #[must_use]
    pub fn port(&self) -> u16 {
        let port = self.url.rsplit(':').next().and_then(|rest| rest.split('/').next());
        port.and_then(|port| port.parse().ok()).expect("the address has a port")
    }
}

struct Script {
    seen: Arc<Mutex<Vec<(String, Value)>>>,
    answers: Vec<Answer>,
    list: Value,
}

/// Answers the one request of a connection.
fn serve_one(script: &Script, stream: &TcpStream) -> Option<()> {
    let (head, body) = read_request(stream)?;
    let is_list = head.starts_with("GET ");
    let answer = {
        let mut seen = script.seen.lock().ok()?;
        let asked = seen.iter().filter(|(head, _)| head.starts_with("POST ")).count();
        seen.push((head, body));
        match is_list {
            true => Answer::json(200, &script.list),
            false => script.answers.get(asked).or(script.answers.last())?.clone(),
        }
    };
    send(stream, &answer)
}

fn send(mut stream: &TcpStream, answer: &Answer) -> Option<()> {
    const HEAD: &str =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    match answer {
        Answer::Gone => Some(()),
        Answer::Late(time, answer) => {
            std::thread::sleep(*time);
            send(stream, answer)
        }
        Answer::Status(status, headers, body) => {
            let head = format!("HTTP/1.1 {status} Status\r\n{headers}Connection: close\r\n");
            stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).ok()
        }
        Answer::Stream(text) => stream.write_all(format!("{HEAD}{}0\r\n\r\n", chunk(text)).as_bytes()).ok(),
        Answer::Cut(text) => stream.write_all(format!("{HEAD}{}", chunk(text)).as_bytes()).ok(),
        Answer::Endless(text) => {
            stream.write_all(HEAD.as_bytes()).ok()?;
            let chunk = chunk(text);
            while stream.write_all(chunk.as_bytes()).is_ok() {}
            None
        }
    }
}
