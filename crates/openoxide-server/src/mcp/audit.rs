//! What of all this is noted in the log of what is done with skills.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use http::request::Parts;
use openoxide_runtime::Begun;
use openoxide_skills::catalog::Catalog;
use openoxide_skills::host::ToolDoes;
use openoxide_skills::resource::shown_name;
use serde_json::Value;

use super::address::Addresses;
use super::seen::Seen;
use crate::answer::RequestId;
use crate::engine::Engine;
use crate::observe::audit::{Action, Actor, AuditEvent, Decision, Face};

/// Who asks; over HTTP, by the head of the request.
pub(super) fn actor(head: Option<&Parts>) -> Actor {
    let Some(head) = head else { return Actor::of(Face::Mcp) };
    let peer = head.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.to_string());
    let request = head.extensions.get::<RequestId>().map(|id| id.0.to_string());
    Actor { face: Face::Mcp, peer, request }
}

/// Notes a file that was read, or was not.
pub(super) fn read(engine: &Engine, addresses: &Addresses, catalog: &Catalog, uri: &str, decision: Decision) {
    let meant = addresses.find(uri);
    let skill = meant.as_ref().and_then(|meant| catalog.skills.get(meant.at)).map(|entry| entry.skill.name.to_string());
    let path = meant.and_then(|meant| meant.path).map_or_else(|| uri.to_owned(), |path| shown_name(path.as_path()));
    note(engine, Action::Read, skill, Some(path), decision);
}

/// Notes a file that a tool read, or did not. What tools activate is noted when it is done.
pub(super) fn tool(engine: &Engine, seen: &Seen, name: &str, arguments: &Value, begun: &Begun) {
    let is_read = seen.toolbox.tools().iter().any(|tool| tool.name == name && tool.does == ToolDoes::Read);
    if let (true, Begun::Answer(answer)) = (is_read, begun) {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::to_owned);
        let decision = if answer.is_error { Decision::Deny("refused".to_owned()) } else { Decision::Allow };
        note(engine, Action::Read, text("name"), text("path"), decision);
    }
}

fn note(engine: &Engine, action: Action, skill: Option<String>, part: Option<String>, decision: Decision) {
    engine.audit().note(AuditEvent { actor: engine.actor(), action, skill, digest: None, part, decision });
}
