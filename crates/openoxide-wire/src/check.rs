//! `check --json`: findings by file.

use crate::{JsonSchema, ProblemLine, SchemaVersion, Serialize};

/// Findings by file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The hosts that the skills were checked for: without `--host`, the agents that you use.
    pub hosts: Vec<String>,
    /// Every skill that was checked.
    pub checked: Vec<CheckedLine>,
}

/// One skill that was checked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Checked")]
pub struct CheckedLine {
    /// Its file, or the folder where one is missing.
    pub path: String,
    /// What it is called.
    pub name: String,
    /// Whether it has no finding of level error.
    pub ok: bool,
    /// Its findings.
    pub problems: Vec<ProblemLine>,
}
