//! Calls skills in Claude Code, as its user and as its model.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Value, json};

use super::{QUIET, model};
use crate::fidelity::call::{Call, Caller, Message, Outcome};
use crate::fidelity::http::{FakeModel, Request};
use crate::fidelity::peers::Program;
use crate::fidelity::rpc::Rpc;
use crate::fidelity::scene::Scene;

/// What the user says when the model is to call.
const GO: &str = "go";

/// Makes all calls in one session.
pub(in crate::fidelity) fn session(program: &Program, scene: &Scene, calls: &[Call]) -> Result<Vec<Outcome>> {
    let script: Arc<Mutex<VecDeque<Value>>> = Arc::default();
    let next = Arc::clone(&script);
    let model = FakeModel::start(move |request| {
        let input =
            if has_tools(request) { next.lock().unwrap_or_else(PoisonError::into_inner).pop_front() } else { None };
        model::answer(request, input.map(|input| ("Skill", input)))
    })?;
    let mut command = scene.command(&program.file);
    command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
    command.envs(QUIET.iter().copied()).env("ANTHROPIC_BASE_URL", model.url());
    let mut child = Rpc::start(&mut command)?;
    let mut outcomes = Vec::new();
    let mut n_seen = 0;
    for call in calls {
        let typed = match call.caller {
            Caller::User => call.typed("/"),
            Caller::Model => {
                script.lock().unwrap_or_else(PoisonError::into_inner).push_back(input(call));
                GO.to_owned()
            }
        };
        let n_turns = turns(&model).len();
        child.send(&json!({ "type": "user", "message": { "role": "user", "content": typed } }))?;
        let result = child.wait(|message| message["type"] == "result")?;
        let turns = turns(&model);
        if turns.len() == n_turns {
            let answer = result["result"].as_str().unwrap_or_default().to_owned();
            outcomes.push(Outcome { messages: Vec::new(), answer: Some(answer) });
        } else {
            let messages = conversation(turns.last());
            outcomes.push(Outcome { messages: messages.iter().skip(n_seen).cloned().collect(), answer: None });
            n_seen = messages.len();
        }
    }
    Ok(outcomes)
}

fn turns(model: &FakeModel) -> Vec<Request> {
    model.requests().into_iter().filter(has_tools).collect()
}

fn has_tools(request: &Request) -> bool {
    request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

fn input(call: &Call) -> Value {
    let mut input = json!({ "skill": call.skill });
    if let Some(args) = &call.args {
        input["args"] = Value::from(args.as_str());
    }
    input
}

/// Returns what the model got up to now, without what every session says.
fn conversation(turn: Option<&Request>) -> Vec<Message> {
    let last = turn.and_then(|request| request.body["messages"].as_array());
    let users = last.into_iter().flatten().filter(|message| message["role"] == "user");
    let messages = users.flat_map(|message| match &message["content"] {
        Value::String(text) => vec![Message::user(text)],
        parts => parts.as_array().into_iter().flatten().filter_map(part).collect(),
    });
    messages.filter(|message| message.text != GO && !message.text.starts_with("<system-reminder>")).collect()
}

fn part(part: &Value) -> Option<Message> {
    match part["type"].as_str()? {
        "text" => Some(Message::user(part["text"].as_str()?)),
        "tool_result" => Some(Message::tool(part["content"].as_str()?, part["is_error"] == true)),
        _ => None,
    }
}
