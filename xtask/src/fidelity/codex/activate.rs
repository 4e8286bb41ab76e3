//! Calls skills in Codex, by mentions in a turn's text.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::{answer, provider, start};
use crate::fidelity::call::{Call, Caller, Message, Outcome};
use crate::fidelity::http::FakeModel;
use crate::fidelity::peers::Program;
use crate::fidelity::scene::Scene;

/// Makes each call in a thread of its own.
pub(in crate::fidelity) fn calls(program: &Program, scene: &Scene, calls: &[Call]) -> Result<Vec<Outcome>> {
    let model = FakeModel::start(answer)?;
    let mut rpc = start(program, scene, &provider(&model.url()))?;
    let mut outcomes = Vec::new();
    for call in calls {
        ensure!(call.caller == Caller::User, "Codex's model has no tool to call a skill with");
        let typed = call.typed("$");
        let thread = rpc.call("thread/start", &json!({ "cwd": scene.folder() }))?;
        let input = json!([{ "type": "text", "text": typed }]);
        rpc.call("turn/start", &json!({ "threadId": thread["thread"]["id"], "input": input }))?;
        rpc.wait(|message| message["method"] == "turn/completed")?;
        let requests = model.requests();
        let turn = requests.iter().rfind(|request| request.path.ends_with("/responses"));
        let messages = turn.map(|turn| after(&turn.body, &typed)).unwrap_or_default();
        outcomes.push(Outcome { messages, answer: None });
    }
    Ok(outcomes)
}

/// Returns the user's messages after the one that was typed.
fn after(body: &Value, typed: &str) -> Vec<Message> {
    let items = body["input"].as_array().into_iter().flatten().filter(|item| item["role"] == "user");
    let texts = items.flat_map(|item| item["content"].as_array().into_iter().flatten());
    let texts = texts.filter_map(|part| part["text"].as_str());
    texts.skip_while(|text| *text != typed).skip(1).map(Message::user).collect()
}
