//! `roots --json`: where a host looks, and by what settings.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Limit, OtherLine, ProblemLine, SchemaVersion};

/// Where a host looks, and by what settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RootsAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// The project's root.
    pub project: String,
    /// Whether the project is trusted.
    pub trusted: bool,
    /// The folders, first to last.
    pub roots: Vec<RootLine>,
    /// The scopes, highest first.
    pub precedence: Vec<String>,
    /// The host's settings.
    pub settings: Vec<SettingLine>,
    /// Skills that somebody switched off.
    pub disabled: Vec<OtherLine>,
    /// Findings.
    pub problems: Vec<ProblemLine>,
    /// Limits that were reached.
    pub limits: Vec<Limit>,
}

/// A folder that is searched.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RootLine {
    /// The folder.
    pub path: String,
    /// Whose it is.
    pub scope: String,
    /// Whether it is there.
    pub exists: bool,
    /// How many skills in it count.
    pub skills: usize,
    /// How many files in it do not.
    pub others: usize,
    /// The provider that people know the place by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// A setting of the host.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingLine {
    /// Its name.
    pub name: String,
    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// Where it was set.
    pub origin: String,
    /// What it is for.
    pub about: String,
}
