//! Hands turns to the real programs and reads which skills their model gets.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::super::http::{FakeModel, Request};
use super::super::peers::{Peer, Program};
use super::super::scene::Scene;
use super::super::{claude, codex};

/// omp's modules, asked in their own words.
const SCRIPT: &str = include_str!("ask.ts");

/// Hands every turn to a real program.
pub(super) fn ask(program: &Program, scene: &Scene, turns: &[Value]) -> Result<Vec<Value>> {
    match program.peer {
        Peer::Codex => ask_codex(program, scene, turns),
        Peer::Omp => ask_omp(program, scene, turns),
        Peer::ClaudeCode => turns.iter().map(|turn| ask_claude(program, scene, text(turn)?)).collect(),
        Peer::OpenCode => bail!("its commands are read by its terminal, which nobody can ask"),
    }
}

/// Returns the one text of a turn.
fn text(turn: &Value) -> Result<&str> {
    turn["items"][0]["text"].as_str().context("this program takes texts only")
}

/// Gives each turn a thread of its own, so that none sees what another has loaded.
fn ask_codex(program: &Program, scene: &Scene, turns: &[Value]) -> Result<Vec<Value>> {
    let model = FakeModel::start(codex::answer)?;
    let mut rpc = codex::start(program, scene, &codex::provider(&model.url()))?;
    let mut answers = Vec::new();
    for turn in turns {
        let thread = rpc.call("thread/start", &json!({ "cwd": scene.folder() }))?;
        let before = model.count();
        rpc.call("turn/start", &json!({ "threadId": thread["thread"]["id"], "input": turn["items"] }))?;
        rpc.wait(|message| message["method"] == "turn/completed")?;
        let asked = model.since(before).into_iter().find(|request| request.path.ends_with("/responses"));
        answers.push(injected(&asked.with_context(|| format!("the model was not asked for {turn}"))?));
    }
    Ok(answers)
}

/// Finds the messages that carry skills.
fn injected(request: &Request) -> Value {
    let items = request.body["input"].as_array().into_iter().flatten();
    let parts = items.filter_map(|item| item["content"].as_array()).flatten();
    let texts = parts.filter_map(|part| part["text"].as_str()).filter(|text| text.starts_with("<skill>\n"));
    texts
        .map(|text| json!({ "name": between(text, "<name>", "</name>"), "path": between(text, "<path>", "</path>") }))
        .collect()
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    Some(text.split_once(start)?.1.split_once(end)?.0)
}

fn ask_claude(program: &Program, scene: &Scene, typed: &str) -> Result<Value> {
    let texts = claude::typed(program, scene, typed)?;
    let find = |start: &str, end: &str| texts.iter().find_map(|text| between(text, start, end));
    let Some(name) = find("<command-name>/", "</command-name>") else { return Ok(json!([])) };
    let folder = find("Base directory for this skill: ", "\n").context("a command without a folder")?;
    let arguments = find("<command-args>", "</command-args>").unwrap_or_default();
    Ok(json!([{ "name": name, "path": format!("{folder}/SKILL.md"), "arguments": arguments }]))
}

fn ask_omp(program: &Program, scene: &Scene, turns: &[Value]) -> Result<Vec<Value>> {
    let texts = turns.iter().map(text).collect::<Result<Vec<_>>>()?;
    let scratch = tempfile::tempdir()?;
    let file = |name: &str| scratch.path().join(name);
    fs_err::write(file("ask.ts"), SCRIPT)?;
    fs_err::write(file("texts.json"), serde_json::to_vec(&texts)?)?;
    let source = program.package.join("src");
    let mut command = scene.command(&program.file);
    command.arg("run").arg(file("ask.ts")).arg(source).arg(scene.folder()).arg(file("texts.json")).arg(file("answer"));
    command.stdin(Stdio::null()).output().context("the real program does not start")?;
    let answer = fs_err::read_to_string(file("answer")).context("omp gave no answer")?;
    serde_json::from_str(&answer).context("omp's answer is no JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_are_known_by_their_messages() {
        let texts = ["<skill>\n<name>a</name>\n<path>/p</path>\n# A", "say <skill>\n<name>b</name>"];
        let content: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
        let request = Request { path: String::new(), body: json!({ "input": [{ "content": content }] }) };
        assert_eq!(injected(&request), json!([{ "name": "a", "path": "/p" }]));
    }
}
