//! Writes the JSON that a hook reads from its standard input.

use openoxide_skills::text::path_text;
use serde_json::{Map, Value, json};

use crate::{Event, Runtime, Session};

impl Event {
    /// Returns what a hook reads from its standard input; `more` is what the agent adds.
    pub(crate) fn input(&self, runtime: &Runtime, session: &Session, more: &Map<String, Value>) -> Map<String, Value> {
        let mut input = more.clone();
        let mut say = |name: &str, value: Value| drop(input.insert(name.to_owned(), value));
        say("session_id", json!(session.id));
        say("cwd", json!(path_text(&runtime.view().around.cwd)));
        say("hook_event_name", json!(self.kind().as_str()));
        if let Event::PreToolUse { tool, input, id } | Event::PostToolUse { tool, input, id, .. } = self {
            say("tool_name", json!(tool));
            say("tool_input", input.clone());
            say("tool_use_id", json!(id));
        }
        match self {
            Event::PreToolUse { .. } => {}
            Event::PostToolUse { output, .. } => say("tool_response", output.clone()),
            Event::UserPromptSubmit { prompt } => say("prompt", json!(prompt)),
            Event::Stop { last } => {
                say("stop_hook_active", json!(session.hooks.stops > 0));
                if let Some(last) = last {
                    say("last_assistant_message", json!(last));
                }
            }
            Event::SessionStart { source } => say("source", json!(source)),
            Event::SessionEnd { reason } => say("reason", json!(reason)),
            Event::SkillActivated { skill, caller, arguments } => {
                say("skill_name", json!(skill));
                say("skill_caller", json!(caller.as_str()));
                say("skill_arguments", json!(arguments));
            }
            Event::SkillDeactivated { skill, reason } => {
                say("skill_name", json!(skill));
                say("reason", json!(reason.as_str()));
            }
        }
        input
    }
}
