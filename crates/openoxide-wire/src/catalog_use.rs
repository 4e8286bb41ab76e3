//! How much room an agent's catalog takes, and how much of each skill its model sees.

use openoxide_skills::render::{DetailLevel, Prompt};

use crate::{JsonSchema, Serialize};

/// What the catalog of one agent takes, and how much of its skills the model sees. Every answer has these numbers from here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CatalogUse {
    /// The room that is used, that of the program's own skills included.
    pub used: u64,
    /// The room that the program's own skills take; absent: none is known.
    #[serde(skip_serializing_if = "is_zero")]
    pub own: u64,
    /// The room there is; absent: no limit is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// What is counted: `characters` or `tokens`.
    pub unit: String,
    /// The context window that the room is a share of; absent: it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowLine>,
    /// How many skills the model sees with their whole description.
    pub full: usize,
    /// How many it sees with a part of their description.
    pub shortened: usize,
    /// How many it sees by name, without a description.
    pub name_only: usize,
    /// How many it does not see, because there is no room.
    pub left_out: usize,
}

/// A context window that is assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WindowLine {
    /// Its size, in tokens.
    pub tokens: u64,
    /// Where it comes from: `option` (the request), `settings` (the agent's own) or `default` (the host's).
    pub from: String,
}

impl From<&Prompt> for CatalogUse {
    fn from(prompt: &Prompt) -> CatalogUse {
        let shown = |detail| prompt.shown.iter().filter(|shown| shown.detail == detail).count();
        let window = prompt.window.as_ref();
        CatalogUse {
            used: prompt.used,
            own: prompt.own,
            budget: prompt.budget,
            unit: prompt.unit.as_str().to_owned(),
            window: window.map(|window| WindowLine { tokens: window.tokens, from: window.origin.as_str().to_owned() }),
            full: shown(DetailLevel::Full),
            shortened: shown(DetailLevel::Shortened),
            name_only: shown(DetailLevel::NameOnly),
            left_out: shown(DetailLevel::LeftOut),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
