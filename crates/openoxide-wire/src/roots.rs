//! `roots --json`: the folders that a host searches, and its settings.

use crate::{InstalledLine, JsonSchema, LimitLine, OtherLine, ProblemLine, SchemaVersion, Serialize};

/// Where a host looks, and by what settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RootsAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// The version of the agent that is installed, where files tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<InstalledLine>,
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
    /// Skills that the user switched off.
    pub disabled: Vec<OtherLine>,
    /// Findings.
    pub problems: Vec<ProblemLine>,
    /// Limits that were reached.
    pub limits: Vec<LimitLine>,
    /// What this machine has to isolate a command with.
    pub isolation: IsolationLine,
}

/// What this machine has to isolate a command with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IsolationLine {
    /// The way that is taken: `bubblewrap`, `landlock` (our own namespaces, with Landlock to guard reading), or `none`,
    /// and then no command runs.
    pub mechanism: String,
    /// All of it in one line, for people.
    pub summary: String,
    /// Where bubblewrap is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The version of bubblewrap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The version of Landlock in the kernel; 0 without.
    pub landlock: u32,
    /// Whether processes and memory are limited by a control group, and not only by limits of each process.
    pub control_groups: bool,
    /// Why better ways are not taken, or none at all.
    pub missing: Vec<MissingLine>,
}

/// Something that this machine lacks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissingLine {
    /// What it is.
    pub what: String,
    /// Why it cannot be used.
    pub why: String,
    /// What to do.
    pub remedy: String,
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
    /// How many skills in it are active.
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
