//! A scripted model that calls one tool, for one skill after the other, and then ends its turn.
//!
//! It speaks as much of the protocols of `Anthropic`, `OpenAI` and Google as agents need.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Value, json};

/// The tool that the model calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolCall {
    /// The tool, as the agent names it.
    pub(super) name: &'static str,
    /// The group that it is in, where the agent has groups.
    pub(super) namespace: Option<&'static str>,
}

/// A call of that tool, for a skill.
type Call = (ToolCall, &'static str);

/// A model that runs until the program ends.
pub(super) struct Model {
    /// Where it is.
    pub(super) url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    /// Starts a model on a free port of this machine.
    pub(super) fn start(tool: ToolCall, skills: &'static [&'static str]) -> Result<Model> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                // An agent that leaves in the middle is its own affair.
                std::thread::spawn(move || drop(serve(&stream, tool, skills, &log)));
            }
        });
        Ok(Model { url, asked })
    }

    /// Returns the requests that had tools, in order.
    pub(super) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Answers one request.
fn serve(stream: &TcpStream, tool: ToolCall, skills: &[&'static str], log: &Mutex<Vec<Value>>) -> Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = first.split_whitespace().nth(1).unwrap_or_default();
    let answer = answer(path, &request, tool, skills, log);
    let kind = if answer.starts_with('{') { "application/json" } else { "text/event-stream" };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        answer.len()
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes())?;
    stream.write_all(answer.as_bytes())?;
    Ok(())
}

/// How one maker's models say something: a call, or that they are done.
type Voice = fn(&Value, Option<Call>) -> String;

fn answer(path: &str, request: &Value, tool: ToolCall, skills: &[&'static str], log: &Mutex<Vec<Value>>) -> String {
    let speaks_to = |end: &str| path.split('?').next().unwrap_or_default().ends_with(end);
    let voices: [(&str, Voice); 3] =
        [("/messages", message), ("/responses", response), (":streamGenerateContent", content)];
    let Some((_, say)) = voices.into_iter().find(|(end, _)| speaks_to(end)) else {
        return json!({ "data": [], "models": [], "input_tokens": 1 }).to_string();
    };
    let has_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let mut skill = None;
    if has_tools {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        skill = skills.get(log.len());
        log.push(request.clone());
    }
    say(request, skill.map(|skill| (tool, *skill)))
}

fn events(events: &[Value]) -> String {
    let one = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(one).collect::<Vec<_>>().concat()
}

/// Says it as Anthropic's models do.
fn message(request: &Value, call: Option<Call>) -> String {
    let (block, delta, stop) = match call {
        Some((tool, skill)) => (
            json!({ "type": "tool_use", "id": format!("toolu_{skill}"), "name": tool.name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": json!({ "name": skill }).to_string() }),
            "tool_use",
        ),
        None => (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": "done" }), "end_turn"),
    };
    let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
    let mut message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": request["model"], "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    if request["stream"] != true {
        message["content"] = json!([{ "type": "text", "text": "done" }]);
        message["stop_reason"] = json!("end_turn");
        return message.to_string();
    }
    events(&[
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ])
}

/// Says it as `OpenAI`'s models do.
fn response(_: &Value, call: Option<Call>) -> String {
    let item = if let Some((tool, skill)) = call {
        json!({
            "type": "function_call", "id": format!("fc_{skill}"), "call_id": format!("call_{skill}"),
            "name": tool.name, "namespace": tool.namespace, "arguments": json!({ "name": skill }).to_string(),
        })
    } else {
        let content = json!([{ "type": "output_text", "text": "done" }]);
        json!({ "type": "message", "role": "assistant", "id": "m_1", "content": content })
    };
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null,
        "total_tokens": 2,
    });
    events(&[
        json!({ "type": "response.created", "response": { "id": "r_1" } }),
        json!({ "type": "response.output_item.done", "item": item }),
        json!({ "type": "response.completed", "response": { "id": "r_1", "usage": usage } }),
    ])
}

/// Says it as Google's models do.
fn content(_: &Value, call: Option<Call>) -> String {
    let part = match call {
        Some((tool, skill)) => json!({ "functionCall": { "name": tool.name, "args": { "name": skill } } }),
        None => json!({ "text": "done" }),
    };
    let candidate = json!({ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 });
    let usage = json!({ "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 });
    format!("data: {}\n\n", json!({ "candidates": [candidate], "usageMetadata": usage }))
}
