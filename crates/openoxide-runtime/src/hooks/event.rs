//! Events in a conversation that hooks react to.

use openoxide_skills::host::{Caller, HookEvent};
use serde_json::Value;

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

    pub(crate) fn tool(&self) -> Option<(&str, &Value)> {
        match self {
            Event::PreToolUse { tool, input, .. } | Event::PostToolUse { tool, input, .. } => Some((tool, input)),
            _ => None,
        }
    }
}
