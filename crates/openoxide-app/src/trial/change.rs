//! A change that can be tried.

use openoxide_skills::catalog::{Entry, PlannedLink, Status};

/// A change that can be tried.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// A skill is put where an agent looks.
    Link {
        /// What is put where.
        link: PlannedLink,
        /// The agent that is to use it, by its number in the search.
        agent: usize,
        /// What the skill is called.
        name: String,
    },
    /// An agent uses a skill that it ignored.
    Activate {
        /// The agent, by its number in the search.
        agent: usize,
        /// The skill, as the agent would list it.
        entry: Box<Entry>,
    },
}

impl Change {
    /// Makes the change that an agent uses a skill which it found and dropped. `described` is the skill in an agent that
    /// reads it, if there is one.
    pub(crate) fn activate(agent: usize, entry: &Entry, described: Option<&Entry>) -> Change {
        let mut entry = entry.clone();
        (entry.status, entry.reason) = (Status::Active, None);
        if let Some(described) = described {
            entry.skill.description = described.skill.description.clone();
            entry.skill.frontmatter = described.skill.frontmatter.clone();
        }
        Change::Activate { agent, entry: Box::new(entry) }
    }

    pub(super) fn link(&self) -> Option<&PlannedLink> {
        match self {
            Change::Link { link, .. } => Some(link),
            Change::Activate { .. } => None,
        }
    }

    pub(super) fn activated(&self, number: usize) -> Option<&Entry> {
        match self {
            Change::Activate { agent, entry } if *agent == number => Some(entry),
            _ => None,
        }
    }

    /// Returns the agent that is to use a skill by its link, and the skill's name.
    pub(super) fn wanted(&self) -> Option<(usize, &str)> {
        match self {
            Change::Link { agent, name, .. } => Some((*agent, name)),
            Change::Activate { .. } => None,
        }
    }
}
