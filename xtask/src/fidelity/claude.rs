//! Runs Claude Code and reads which skills it announces to a model, at the start and after it read a file.

pub(super) mod activate;
mod model;

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::http::{FakeModel, Request};
use super::peers::Program;
use super::scene::Scene;

/// A model whose window a variable can set.
pub(super) const MODEL: &str = "gpt-x";

const HEADER: &str = "The following skills are available for use with the Skill tool:\n\n";

/// Skills that come with the program and stay when the others are switched off.
const BUNDLED: &[&str] = &["doctor", "plugin-authoring"];

/// What the program told the model and the user.
#[derive(Debug)]
pub(super) struct Session {
    /// The lines of the first announcement.
    pub(super) listed: Vec<String>,
    /// The lines of later announcements.
    pub(super) woken: Vec<String>,
    /// The skills that the user may call.
    pub(super) user: Vec<String>,
}

/// Asks Claude Code which skills it sees; the answer has the shape of a recording.
pub(super) fn list(program: &Program, scene: &Scene) -> Result<Value> {
    Ok(recorded(&session(program, scene, None)?))
}

/// Returns a session in the shape of a recording.
pub(super) fn recorded(session: &Session) -> Value {
    let mut answer = json!({
        "listed": entries(&session.listed),
        "user": session.user,
    });
    if !session.woken.is_empty() {
        answer["woken"] = Value::Array(entries(&session.woken));
    }
    answer
}

/// Splits lines `- NAME: TEXT`; a line of another form continues the text before it.
fn entries(lines: &[String]) -> Vec<Value> {
    let mut entries: Vec<(String, Option<String>)> = Vec::new();
    for line in lines {
        match (line.strip_prefix("- "), entries.last_mut()) {
            (Some(line), _) => entries.push(match line.split_once(": ") {
                Some((name, text)) => (name.to_owned(), Some(text.to_owned())),
                None => (line.to_owned(), None),
            }),
            (None, Some((_, Some(text)))) => *text = format!("{text}\n{line}"),
            (None, _) => {}
        }
    }
    entries.into_iter().map(|(name, text)| json!({ "name": name, "text": text })).collect()
}

/// Runs one session in which the model reads the files that the scene touches.
///
/// A window is obeyed only for a model that is none of Anthropic's, such as [`MODEL`].
pub(super) fn session(program: &Program, scene: &Scene, window: Option<u64>) -> Result<Session> {
    let touched = scene.option("--touch");
    let mut reads = touched.iter().map(|file| scene.folder().join(file)).collect::<Vec<_>>();
    // News of a folder may come one turn late.
    reads.extend(reads.last().cloned().into_iter().cycle().take(2));
    let mut reads = reads.into_iter();
    let model = FakeModel::start(move |request| {
        let tools = request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let read = if tools { reads.next() } else { None };
        model::answer(request, read.map(|file| ("Read", json!({ "file_path": file }))))
    })?;
    let mut command = scene.command(&program.file);
    command.args(["-p", "hello", "--output-format", "stream-json", "--verbose"]);
    for folder in scene.option("--add-dir") {
        command.args(["--add-dir", &folder]);
    }
    for (name, value) in QUIET {
        command.env(name, value);
    }
    command.env("ANTHROPIC_BASE_URL", model.url());
    if let Some(window) = window {
        command.env("CLAUDE_CODE_MAX_CONTEXT_TOKENS", window.to_string());
    }
    let output = command.stdin(Stdio::null()).output().context("the real program does not start")?;
    let answers = String::from_utf8_lossy(&output.stdout);
    let user = user(&answers).with_context(|| format!("no first message in {answers:?}"))?;
    let mut announced = announcements(&model.requests())?;
    let listed = if announced.is_empty() { Vec::new() } else { announced.remove(0) };
    Ok(Session { listed, woken: announced.concat(), user })
}

/// Lets the user type a text; returns the texts that the model then gets, none if it is not asked.
pub(super) fn typed(program: &Program, scene: &Scene, text: &str) -> Result<Vec<String>> {
    let model = FakeModel::start(|request| model::answer(request, None))?;
    let mut command = scene.command(&program.file);
    command.args(["-p", text]).envs(QUIET.iter().copied()).env("ANTHROPIC_BASE_URL", model.url());
    command.stdin(Stdio::null()).output().context("the real program does not start")?;
    let requests = model.requests();
    let asked = requests.iter().find(|request| request.body["tools"].is_array());
    let messages = asked.and_then(|request| request.body["messages"].as_array()).into_iter().flatten();
    Ok(messages.flat_map(|message| texts(&message["content"])).map(str::to_owned).collect())
}

/// Variables that keep the program offline.
const QUIET: &[(&str, &str)] = &[
    ("LANG", "C.UTF-8"),
    ("ANTHROPIC_API_KEY", "sk-ant-fake"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
];

/// Finds the user's skills in the messages that the program printed.
fn user(output: &str) -> Option<Vec<String>> {
    let mut messages = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let first = messages.find(|message| message["subtype"] == "init")?;
    let names = first["skills"].as_array()?.iter().filter_map(Value::as_str);
    Some(names.filter(|name| !BUNDLED.contains(name)).map(str::to_owned).collect())
}

/// Returns the lines of each announcement in the conversation, in order.
fn announcements(requests: &[Request]) -> Result<Vec<Vec<String>>> {
    let mut turns = requests.iter().rev();
    let Some(last) = turns.find(|request| request.body["tools"].is_array()) else {
        bail!("the real program asked the model nothing");
    };
    let messages = last.body["messages"].as_array().context("a request without messages")?;
    let texts = messages.iter().flat_map(|message| texts(&message["content"]));
    let lists = texts.filter_map(|text| text.split_once(HEADER).map(|(_, list)| list));
    Ok(lists.map(lines).collect())
}

fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => Vec::new(),
    }
}

/// Splits a list into lines, without the skills that come with the program.
fn lines(list: &str) -> Vec<String> {
    let is_bundled = |line: &&str| {
        let name = line.strip_prefix("- ").map(|line| line.split_once(": ").map_or(line, |(name, _)| name));
        name.is_some_and(|name| BUNDLED.contains(&name))
    };
    unwrapped(list).split('\n').filter(|line| !is_bundled(line)).map(str::to_owned).collect()
}

/// Removes what the program writes after a list.
pub(super) fn unwrapped(list: &str) -> &str {
    let list = list.trim_end_matches('\n');
    let list = list.strip_suffix("</system-reminder>").map_or(list, |list| list.trim_end_matches('\n'));
    let after = ["\n\n<total_tokens>", "\n\nToday's date is "];
    after.iter().fold(list, |list, after| list.rsplit_once(after).map_or(list, |(list, _)| list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_list() {
        let lines = ["- a: one", "", "more", "- b", "- c: d: e"].map(str::to_owned);
        let expected = json!([
            { "name": "a", "text": "one\n\nmore" },
            { "name": "b", "text": null },
            { "name": "c", "text": "d: e" },
        ]);
        assert_eq!(Value::Array(entries(&lines)), expected);
    }

    #[test]
    fn what_stands_after_a_list_is_removed() {
        assert_eq!(unwrapped("- a: b"), "- a: b");
        assert_eq!(unwrapped("- a: b\n</system-reminder>\n"), "- a: b");
        assert_eq!(unwrapped("- a\n\n<total_tokens>5</total_tokens>"), "- a");
    }
}
