//! Something worth fixing, and what a person can do about it.

use std::path::PathBuf;

use openoxide_skills::diagnostic::Code;

use crate::find::SkillReference;

/// Something worth fixing.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The skill, agent or number of skills that it is about.
    pub subject: String,
    /// What is wrong, in one sentence.
    pub text: String,
    /// The code of the finding, if it has one.
    pub code: Option<Code>,
    /// What fixes it, or shows more.
    pub action: Action,
    /// Whether the action fixes it by itself.
    pub fixes: bool,
    /// The agents that are concerned, by their hosts' names.
    pub agents: Vec<String>,
}

/// What a person can do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Check a skill for every host.
    Check {
        /// Its folder.
        folder: PathBuf,
        /// Whether to fix what is found.
        fix: bool,
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
    /// Switch a skill on.
    Enable {
        /// The skill.
        skill: SkillReference,
        /// Whether the project's settings switch it off.
        in_project: bool,
    },
    /// Explain a skill.
    Explain {
        /// The skill.
        skill: SkillReference,
    },
    /// Show where an agent looks, and its settings.
    Roots {
        /// The agent.
        host: String,
    },
    /// Show what an agent's model sees.
    Prompt {
        /// The agent.
        host: String,
    },
}
