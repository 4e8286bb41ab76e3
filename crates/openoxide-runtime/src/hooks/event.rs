//! What happens in a conversation, as hooks are told it.

use openoxide_skills::host::{Caller, HookEvent};
use openoxide_skills::text::path_text;
use serde_json::{Map, Value, json};

use crate::runtime::Runtime;
use crate::session::Session;

/// Something that happens in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A skill was activated. Activations say this themselves.
    SkillActivated {
        /// Its name.
        skill: String,
        /// Who called.
        caller: Caller,
        /// What was said with the call.
        arguments: Option<String>,
    },
    /// A skill is deactivated: its hooks are removed.
    SkillDeactivated {
        /// Its name, or the path of its file.
        skill: String,
        /// Why.
        reason: Deactivation,
    },
    /// A tool is about to be used.
    PreToolUse {
        /// The tool.
        tool: String,
        /// What it is called with.
        input: Value,
        /// What tells this call from others.
        id: String,
    },
    /// A tool was used.
    PostToolUse {
        /// The tool.
        tool: String,
        /// What it was called with.
        input: Value,
        /// What tells this call from others.
        id: String,
        /// What came of it.
        output: Value,
    },
    /// The user says something.
    UserPromptSubmit {
        /// What.
        prompt: String,
    },
    /// The turn is about to end.
    Stop {
        /// What the model said last.
        last: Option<String>,
    },
    /// The session begins, or goes on.
    SessionStart {
        /// How: `startup`, `resume`, `clear`, `compact` or `fork`.
        source: String,
    },
    /// The session ends; every skill is deactivated.
    SessionEnd {
        /// Why, in a word.
        reason: String,
    },
}

/// Why a skill is deactivated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deactivation {
    /// The user asked for it.
    Asked,
    /// The model asked for it, perhaps because of something that it read: hooks that can forbid stay.
    AskedByModel,
    /// The fork that it ran in ended.
    ForkEnded,
    /// The turn ended, and the host keeps hooks no longer.
    TurnEnded,
    /// The session ended.
    SessionEnded,
}

impl Deactivation {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Deactivation::Asked | Deactivation::AskedByModel => "asked",
            Deactivation::ForkEnded => "fork-ended",
            Deactivation::TurnEnded => "turn-ended",
            Deactivation::SessionEnded => "session-ended",
        }
    }
}

impl Event {
    /// Returns its kind.
    pub fn kind(&self) -> HookEvent {
        match self {
            Event::SkillActivated { .. } => HookEvent::SkillActivated,
            Event::SkillDeactivated { .. } => HookEvent::SkillDeactivated,
            Event::PreToolUse { .. } => HookEvent::PreToolUse,
            Event::PostToolUse { .. } => HookEvent::PostToolUse,
            Event::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            Event::Stop { .. } => HookEvent::Stop,
            Event::SessionStart { .. } => HookEvent::SessionStart,
            Event::SessionEnd { .. } => HookEvent::SessionEnd,
        }
    }

    /// Returns what matchers look at; there is nothing to look at in the others.
    pub(crate) fn subject(&self) -> Option<&str> {
        match self {
            Event::PreToolUse { tool, .. } | Event::PostToolUse { tool, .. } => Some(tool),
            Event::SessionStart { source } => Some(source),
            Event::SessionEnd { reason } => Some(reason),
            _ => None,
        }
    }

    /// Returns the tool's name and input.
    pub(crate) fn tool(&self) -> Option<(&str, &Value)> {
        match self {
            Event::PreToolUse { tool, input, .. } | Event::PostToolUse { tool, input, .. } => Some((tool, input)),
            _ => None,
        }
    }

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
                say("stop_hook_active", json!(session.hooks.stops() > 0));
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
