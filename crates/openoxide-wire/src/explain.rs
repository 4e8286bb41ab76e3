//! `explain --json`: why a skill is active or ignored.

use crate::{JsonSchema, OtherLine, SchemaVersion, Serialize, SkillLine};

/// Why a skill does or does not count.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// What was asked for.
    pub name: String,
    /// The files that count.
    #[serde(rename = "counts")]
    pub active: Vec<SkillLine>,
    /// The files that do not.
    pub others: Vec<OtherLine>,
    /// What each other host makes of it.
    pub hosts: Vec<HostOutcome>,
}

/// What another host makes of a skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostOutcome {
    /// The host.
    pub host: String,
    /// What people call it.
    pub title: String,
    /// Whether it sees one of that name.
    pub seen: bool,
    /// Which, or why not.
    pub detail: String,
    /// The files that count there.
    pub paths: Vec<String>,
}
