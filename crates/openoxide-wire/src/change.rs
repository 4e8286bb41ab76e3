//! `--json` of the commands that change something: what was done.

use schemars::JsonSchema;
use serde::Serialize;

use crate::SchemaVersion;

/// What a command did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangeAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// Whether it is only what would be done.
    pub dry_run: bool,
    /// What was done, in order; empty if nothing had to be.
    pub changes: Vec<ChangeLine>,
    /// The command that takes it back, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeLine {
    /// What: `link`, `copy`, `remove`, `create`, `enable`, `disable`, `trust`, `grant`, `revoke`, `set`, `unset`.
    pub action: String,
    /// The file or folder that was made, removed or written to.
    pub path: String,
    /// What it leads to, is a copy of, or is about: a folder, a skill, or a setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

impl ChangeAnswer {
    /// Makes an answer.
    pub fn new(changes: Vec<ChangeLine>, undo: Option<String>) -> ChangeAnswer {
        ChangeAnswer { schema: SchemaVersion::default(), dry_run: false, changes, undo }
    }
}

impl ChangeLine {
    /// Makes a line.
    pub fn new(action: &str, path: &std::path::Path, target: Option<String>) -> ChangeLine {
        ChangeLine { action: action.to_owned(), path: crate::text(path), target }
    }
}
