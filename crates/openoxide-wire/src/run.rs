//! `run --json`: the result of a skill's script, or the refusal.

use crate::{JsonSchema, NoticeLine, RefusedLine, SchemaVersion, Serialize};

/// What a script of a skill did, or why it did not run.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RunAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// What the script did; absent if it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<RanLine>,
    /// Why it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedLine>,
    /// What people should know besides.
    pub notices: Vec<NoticeLine>,
}

/// A script that ran.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RanLine {
    /// The skill.
    pub skill: String,
    /// The skill's file.
    pub path: String,
    /// The digest of its folder: these bytes ran.
    pub digest: String,
    /// The script's path in the folder.
    pub script: String,
    /// How it ended: `exit`, `signal`, or the limit that it reached.
    pub ended: String,
    /// The status that it ended with; absent if it did not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// What it wrote to standard output; what is not UTF-8 is replaced.
    pub stdout: String,
    /// What it wrote to standard error; what is not UTF-8 is replaced.
    pub stderr: String,
    /// Whether it wrote more than is here.
    pub truncated: bool,
    /// How long it took, in milliseconds, the making of the sandbox included.
    pub took: u64,
    /// What it was isolated with: `bubblewrap` or `landlock`.
    pub isolation: String,
    /// What it changed in the folders that it may write, by path. One that was stopped changes nothing.
    pub changes: Vec<FileChangeLine>,
    /// How many more changes there are than are listed here.
    pub more_changes: usize,
}

/// What a script did to one path.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FileChangeLine {
    /// The path.
    pub path: String,
    /// What the script did: `created`, `changed` or `removed`.
    pub change: String,
    /// Why the change was not kept; absent if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}
