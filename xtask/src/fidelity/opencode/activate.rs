//! Calls skills in `OpenCode`, by commands of its user and by a tool of its model.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{answer, chunk, configure, prepare, run};
use crate::fidelity::call::{Call, Caller, Message, Outcome};
use crate::fidelity::http::{FakeModel, Reply, Request};
use crate::fidelity::peers::{self, Peer, Program};
use crate::fidelity::scene::Scene;

/// Makes each call in a session of its own.
pub(in crate::fidelity) fn calls(program: &Program, scene: &Scene, calls: &[Call]) -> Result<Vec<Outcome>> {
    calls.iter().map(|call| one(program, scene, call)).collect()
}

fn one(program: &Program, scene: &Scene, call: &Call) -> Result<Outcome> {
    let mut input = (call.caller == Caller::Model).then(|| json!({ "name": call.skill }));
    let model = FakeModel::start(move |request| match input.take_if(|_| has_tools(request)) {
        Some(input) => calling(&input),
        None => answer(request),
    })?;
    let mut command = prepare(program, scene)?;
    configure(&mut command, scene, &model)?;
    if let Some(path) = search_path() {
        command.env("PATH", path);
    }
    match call.caller {
        // The words of a command are joined by one blank each.
        Caller::User => {
            command.args(["run", "--command", &call.skill]).args(call.args.iter().flat_map(|a| a.split(' ')))
        }
        Caller::Model => command.args(["run", "hello"]),
    };
    run(&mut command, scene)?;
    let requests = model.requests();
    let last = requests.iter().rfind(|request| has_tools(request)).context("the model was asked nothing")?;
    let messages = last.body["messages"].as_array().into_iter().flatten().filter_map(|message| {
        let text = text(&message["content"])?;
        match (message["role"].as_str()?, call.caller) {
            ("tool", Caller::Model) => Some(Message::tool(&text, text.starts_with("Skill \""))),
            ("user", Caller::User) => Some(Message::user(&text)),
            _ => None,
        }
    });
    Ok(Outcome { messages: messages.collect(), answer: None })
}

fn has_tools(request: &Request) -> bool {
    request.body["tools"].is_array()
}

fn text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        parts => Some(parts.as_array()?.iter().filter_map(|part| part["text"].as_str()).collect()),
    }
}

/// Calls the tool in the words of the Chat Completions API.
fn calling(input: &Value) -> Reply {
    let function = json!({ "name": "skill", "arguments": input.to_string() });
    let call = json!({ "index": 0, "id": "call_1", "type": "function", "function": function });
    let said = chunk(&json!({ "role": "assistant", "tool_calls": [call] }), None);
    let done = chunk(&json!({}), Some("tool_calls"));
    Reply::Events([said, done].into_iter().map(|event| ("message".to_owned(), event)).collect())
}

/// Returns where programs are looked for: the program wants `rg`, which comes with Codex if the machine has none.
fn search_path() -> Option<std::ffi::OsString> {
    let bundled = peers::file_of(Peer::Codex, "vendor/x86_64-unknown-linux-musl/codex-path")?;
    let mut folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    folders.push(bundled);
    std::env::join_paths(folders).ok()
}
