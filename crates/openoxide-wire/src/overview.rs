//! `openoxide --json`: your agents, what each makes of the skills, and what to fix.

use crate::{CatalogUse, InstalledLine, JsonSchema, SchemaVersion, Serialize};

/// A project at a glance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OverviewAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The project's folder.
    pub project: String,
    /// How many skills are active in at least one agent, or by OpenOxide's own rules, each file counted once.
    pub skills: usize,
    /// How many folders of skills they are in.
    pub folders: usize,
    /// How the agents came to be known: `named` (by `--host` or the setting `host`), `listed` (in the setting `my_agents`),
    /// `found` (on this machine or in this project) or `none` (no agent was found, so OpenOxide's own rules stand in for one).
    pub agents_from: String,
    /// Your agents.
    pub agents: Vec<AgentLine>,
    /// The hosts that are known.
    pub hosts: Vec<String>,
    /// What to fix: what costs most comes first.
    pub to_fix: Vec<SuggestionLine>,
}

/// One of your agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentLine {
    /// The host's name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// What shows that it is there: a program, or files and folders.
    pub found: Vec<String>,
    /// The version that is installed, where files tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<InstalledLine>,
    /// How many skills are active.
    pub active: usize,
    /// How many files it finds and ignores.
    pub ignored: usize,
    /// What its catalog takes, and how much of each skill its model sees; absent for a host without templates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<CatalogUse>,
}

/// Something to fix. What its commands would do was tried in memory: none of them makes anything worse.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SuggestionLine {
    /// The skill, the agent, or how many skills.
    pub subject: String,
    /// What is wrong, in one sentence.
    pub text: String,
    /// What else there is to know, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// The code of the finding, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The command that fixes it, or shows more.
    pub command: String,
    /// Whether the command fixes it by itself.
    pub fixes: bool,
    /// Other commands to choose from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The agents that are concerned, by their hosts' names.
    pub agents: Vec<String>,
    /// How much it costs: about how many skills are not what they should be, in all agents together.
    pub cost: usize,
}
