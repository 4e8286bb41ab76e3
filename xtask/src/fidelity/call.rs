//! A call of a skill in a case: what is called, what the program sends to its model, and how that is recorded.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use toml::Table;

use super::peers::Peer;
use super::prose;
use super::scene::Scene;

/// Who calls a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    User,
    Model,
}

/// A call of a skill.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) skill: String,
    pub(super) caller: Caller,
    /// The arguments as they are typed.
    pub(super) args: Option<String>,
}

/// A message that the model got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) role: &'static str,
    pub(super) text: String,
    /// Whether it is the failure of a tool.
    pub(super) is_error: bool,
}

/// What came of a call.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) messages: Vec<Message>,
    /// What the user sees when the model gets nothing.
    pub(super) answer: Option<String>,
}

/// A message longer than this is recorded by its ends and a digest of the rest.
const LONGEST: usize = 6000;

/// How much of a long message is recorded at either end.
const END: usize = 400;

impl Call {
    /// Reads a table of `calls` in a case.
    pub(super) fn read(table: &Table) -> Result<Self> {
        let text = |key: &str| table.get(key).and_then(toml::Value::as_str);
        let caller = match text("caller") {
            Some("user") => Caller::User,
            Some("model") => Caller::Model,
            other => bail!("a call is by `user` or by `model`, not by {other:?}"),
        };
        let skill = text("skill").context("a call names a skill")?.to_owned();
        Ok(Self { skill, caller, args: text("args").map(str::to_owned) })
    }

    /// Returns what a user types: a sign, the name and the arguments.
    pub(super) fn typed(&self, sign: &str) -> String {
        match &self.args {
            Some(args) => format!("{sign}{} {args}", self.skill),
            None => format!("{sign}{}", self.skill),
        }
    }
}

impl Message {
    /// Makes a message of the user's.
    pub(super) fn user(text: &str) -> Self {
        Self { role: "user", text: text.to_owned(), is_error: false }
    }

    /// Makes the result of a tool.
    pub(super) fn tool(text: &str, is_error: bool) -> Self {
        Self { role: "tool", text: text.to_owned(), is_error }
    }
}

/// Returns calls and what came of them in the shape of a recording.
pub(super) fn recorded(peer: Peer, scene: &Scene, calls: &[Call], outcomes: &[Outcome]) -> Value {
    let mut sentences = Vec::new();
    let rows = calls.iter().zip(outcomes).map(|(call, outcome)| row(peer, scene, call, outcome, &mut sentences));
    let rows: Vec<Value> = rows.collect();
    json!({ "calls": rows, "prose": sentences })
}

fn row(peer: Peer, scene: &Scene, call: &Call, outcome: &Outcome, sentences: &mut Vec<Value>) -> Value {
    let caller = match call.caller {
        Caller::User => "user",
        Caller::Model => "model",
    };
    let mut row = json!({ "skill": call.skill, "caller": caller });
    if let Some(args) = &call.args {
        row["args"] = Value::from(args.as_str());
    }
    let messages = outcome.messages.iter().map(|message| {
        let marked = prose::mark(peer, &call.skill, &scene.portable(&message.text));
        for sentence in marked.sentences {
            let known = json!({ "bytes": sentence.len(), "sha256": digest(&sentence) });
            if !sentences.contains(&known) {
                sentences.push(known);
            }
        }
        let mut shown = json!({ "role": message.role, "text": shortened(&marked.text) });
        if message.is_error {
            shown["error"] = Value::Bool(true);
        }
        shown
    });
    row["messages"] = Value::Array(messages.collect());
    if let Some(answer) = &outcome.answer {
        row["answer"] = Value::from(scene.portable(answer));
    }
    row
}

/// Puts a digest in the place of the middle of a long text.
fn shortened(text: &str) -> String {
    let (start, end) = (text.floor_char_boundary(END), text.ceil_char_boundary(text.len().saturating_sub(END)));
    if text.len() <= LONGEST || text[start..end].contains("{{") {
        return text.to_owned();
    }
    let middle = &text[start..end];
    format!("{}{{{{{} bytes sha256 {}}}}}{}", &text[..start], middle.len(), digest(middle), &text[end..])
}

fn digest(text: &str) -> String {
    let mut hex = String::new();
    for byte in Sha256::digest(text) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_their_ends() {
        assert_eq!(shortened("short"), "short");
        let text = "é".repeat(LONGEST);
        let short = shortened(&text);
        assert!(short.starts_with(&"é".repeat(END / 2)) && short.ends_with(&"é".repeat(END / 2)), "{short}");
        let middle = "é".repeat(LONGEST - END);
        assert!(short.contains(&format!("{{{{{} bytes sha256 {}}}}}", middle.len(), digest(&middle))), "{short}");
    }
}
