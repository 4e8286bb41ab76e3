//! What can be done so that an agent uses a skill.

use std::path::PathBuf;

use openoxide_config::SettingsOwner;

use crate::skill_id::SkillReference;

/// What can be done so that an agent uses a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Put the skill where the agent looks.
    Link {
        /// The skill.
        skill: SkillReference,
        /// The agent.
        into: String,
    },
    /// Look at what takes the room in the catalog of an agent: it is full, so that a link would only make it worse.
    Full {
        /// The agent.
        host: String,
        /// What people call it.
        title: String,
    },
    /// Switch the skill on in the agent.
    Enable {
        /// The skill.
        skill: SkillReference,
        /// The agent.
        host: String,
        /// The owner of the settings that have to be written.
        owner: SettingsOwner,
    },
    /// Trust the project.
    Trust,
    /// Check the skill for this agent.
    Check {
        /// The skill's folder.
        folder: PathBuf,
        /// The agent.
        host: String,
    },
}
