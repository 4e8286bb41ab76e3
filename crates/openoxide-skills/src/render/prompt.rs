//! The prompt that the model gets, and how much of each skill it shows.

use std::path::Path;
use std::sync::Arc;

use super::window::Window;
use crate::host::CatalogPlace;

/// What the caller knows about the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Its context window, in tokens.
    pub window: Option<u64>,
    /// The time, in milliseconds since 1970, for how lately a skill was used.
    pub now: u64,
}

/// What the model sees, and what that cost whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The text; empty if there is nothing to show.
    pub text: String,
    /// Every skill that the model may call, in order, and how it is shown.
    pub shown: Vec<ShownSkill>,
    /// Where the model meets the text.
    pub place: CatalogPlace,
    /// The room there is; absent: no limit.
    pub budget: Option<u64>,
    /// The room that was used, that of the program's own skills included.
    pub used: u64,
    /// The room that the program's own skills take, which are not listed here.
    pub own: u64,
    /// The window that the room is a share of; absent: it is none.
    pub window: Option<Window>,
    /// What is counted.
    pub unit: BudgetUnit,
}

/// What a budget counts, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetUnit {
    /// Characters.
    Characters,
    /// Tokens.
    Tokens,
}

impl BudgetUnit {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            BudgetUnit::Characters => "characters",
            BudgetUnit::Tokens => "tokens",
        }
    }
}

/// One skill and how it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownSkill {
    /// Its name.
    pub name: Arc<str>,
    /// Its file.
    pub path: Arc<Path>,
    /// How much of it.
    pub detail: DetailLevel,
    /// The room that all of it takes, whatever there is.
    pub cost: u64,
    /// The room that it takes as it is shown.
    pub room: u64,
    /// What all of it costs the model, in tokens.
    pub tokens: u64,
}

/// How much of a skill is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetailLevel {
    /// All of it.
    Full,
    /// A part of its description.
    Shortened,
    /// Its name, without the description.
    NameOnly,
    /// Nothing.
    LeftOut,
}
