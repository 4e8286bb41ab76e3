//! `--json` of the commands that change something: the changes that were made.

use openoxide_skills::text::path_text;

use crate::{JsonSchema, SchemaVersion, Serialize};

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

/// What came of switching a skill on or off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SwitchAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// What the rule is for: a name, or the path of a file.
    pub skill: String,
    /// Whether the skill is on now, seen by looking again.
    pub enabled: bool,
    /// The settings that have the rule.
    pub path: String,
    /// Whether they had to be changed.
    pub changed: bool,
    /// That the skill is not as wanted, as a word that does not change: `not-so`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Why the skill is not as wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What came of changing a setting.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SettingAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The dotted name.
    pub key: String,
    /// The value that applies now; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// Where that is set.
    pub origin: String,
    /// The settings that were written.
    pub path: String,
    /// Whether they had to be changed.
    pub changed: bool,
    /// Why the value that applies is not the one that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
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
        ChangeLine { action: action.to_owned(), path: path_text(path), target }
    }
}
