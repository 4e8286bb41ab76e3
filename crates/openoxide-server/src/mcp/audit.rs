//! What of all this is noted in the log of what is done with skills.

use openoxide_runtime::Begun;
use openoxide_skills::{Catalog, ToolDoes, shown_name};
use serde_json::Value;

use super::address::Addresses;
use super::seen::Seen;
use crate::audit::{Action, Actor, Decision, Face, Noted};
use crate::engine::Engine;

/// Who asks.
pub(super) fn actor() -> Actor {
    Actor::of(Face::Mcp)
}

/// Notes a file that was read, or was not.
pub(super) fn read(engine: &Engine, addresses: &Addresses, catalog: &Catalog, uri: &str, is_done: bool) {
    let meant = addresses.find(uri);
    let skill = meant.as_ref().and_then(|meant| catalog.skills.get(meant.at)).map(|entry| entry.skill.name.to_string());
    let path = meant.and_then(|meant| meant.path).map_or_else(|| uri.to_owned(), |path| shown_name(path.as_path()));
    note(engine, Action::Read, skill, Some(path), is_done);
}

/// Notes a file that a tool read, or did not. What tools activate is noted when it is done.
pub(super) fn tool(engine: &Engine, seen: &Seen, name: &str, arguments: &Value, begun: &Begun) {
    let is_read = seen.toolbox.tools().iter().any(|tool| tool.name == name && tool.does == ToolDoes::Read);
    if let (true, Begun::Answer(answer)) = (is_read, begun) {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::to_owned);
        note(engine, Action::Read, text("name"), text("path"), !answer.is_error);
    }
}

fn note(engine: &Engine, action: Action, skill: Option<String>, part: Option<String>, is_done: bool) {
    let decision = if is_done { Decision::Allow } else { Decision::Deny("refused".to_owned()) };
    engine.audit().note(Noted { actor: actor(), action, skill, digest: None, part, decision });
}
