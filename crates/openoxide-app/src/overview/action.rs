//! What a person can do about something to fix.

use std::path::PathBuf;

use crate::skill_id::SkillReference;

/// What a person can do next. Each face writes it in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Check a skill for every host.
    Check {
        /// Its folder.
        folder: PathBuf,
        /// Whether to fix what is found.
        fix: bool,
        /// Whether that may rename files and folders.
        rename: bool,
    },
    /// Trust the project.
    Trust,
    /// Put skills where an agent looks.
    Link {
        /// The skill; absent: every one that the agent would use and does not see.
        skill: Option<SkillReference>,
        /// The host that sees it; absent: the one that was asked for.
        from: Option<String>,
        /// The agent that is to see it.
        into: String,
    },
    /// Switch skills off in one agent.
    Disable {
        /// The skills.
        skills: Vec<SkillReference>,
        /// The agent.
        host: String,
    },
    /// List the skills.
    List,
    /// Explain a skill.
    Explain(SkillReference),
    /// Show where an agent looks, and its settings.
    Roots(String),
    /// Show what an agent's model sees.
    Prompt(String),
}
