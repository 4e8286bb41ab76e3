//! `explain --json`: why a skill is active or ignored, in each agent.

use crate::{JsonSchema, SchemaVersion, Serialize};

/// Why a skill is active or ignored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// What was asked for.
    pub name: String,
    /// The files that the name means; those that are active in one of your agents first.
    pub files: Vec<ExplainedFileLine>,
    /// What each of your agents makes of it, then each other host if all were asked for.
    pub hosts: Vec<HostOutcome>,
}

/// A file that the name means.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainedFileLine {
    /// The file.
    pub path: String,
    /// Whose it is: `repo`, `user`, `system`, `admin`, `plugin`.
    pub scope: String,
    /// Whether it is in a project that you trust; absent if it is in none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
}

/// What an agent makes of a skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostOutcome {
    /// The host.
    pub host: String,
    /// What people call it.
    pub title: String,
    /// Whether it is one of your agents.
    pub mine: bool,
    /// `active`; `shortened`, `name only` or `left out`: active, and its catalog is too full for all of the description, any of
    /// it, or the skill; `ambiguous`: several files of the name are active; `shadowed`, `disabled`, `invalid`, `dormant`, `denied` or
    /// `untrusted`; or `not found`.
    pub status: String,
    /// Which file is active and what keeps it from being shown whole, or why none is.
    pub detail: String,
    /// The files that it found, with the status of each.
    pub files: Vec<HostFileLine>,
}

/// A file that an agent found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostFileLine {
    /// The file.
    pub path: String,
    /// The status.
    pub status: String,
    /// Why it is ignored: a stable code, a colon and a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
