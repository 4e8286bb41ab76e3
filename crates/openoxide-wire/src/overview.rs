//! `openoxide --json`: the agents that were found, what each sees, and what to fix.

use crate::{JsonSchema, SchemaVersion, Serialize};

/// A project at a glance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OverviewAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The project's folder.
    pub project: String,
    /// How many skills there are, each file counted once.
    pub skills: usize,
    /// How many folders of skills they are in.
    pub folders: usize,
    /// The agents that were found on this machine or in this project.
    pub agents: Vec<AgentLine>,
    /// How many hosts are known.
    pub hosts: usize,
    /// Problems to fix, worst first.
    #[serde(rename = "fix")]
    pub suggestions: Vec<SuggestionLine>,
}

/// An agent that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentLine {
    /// The host's name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// What shows that it is there: a program, or files and folders.
    pub found: Vec<String>,
    /// How many skills it sees.
    pub sees: usize,
    /// How many it finds and ignores by its rules.
    pub hidden: usize,
    /// How many it finds and cannot use.
    pub broken: usize,
    /// What its catalog takes of the model's window; absent for a host without templates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
    /// How much it may take; absent: no limit is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<u64>,
    /// What is counted: `tokens` or `characters`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A problem to fix.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FixLine")]
pub struct SuggestionLine {
    /// The skill, or the file or folder that is meant.
    pub subject: String,
    /// What is wrong, in one sentence.
    pub text: String,
    /// The code of the finding, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The command that fixes it, or shows more.
    pub command: String,
    /// Whether the command fixes it by itself.
    pub fixes: bool,
    /// The agents that are concerned, by their hosts' names.
    pub agents: Vec<String>,
}
