//! An agent before and after a change, as far as it can get worse.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use openoxide_config::Workspace;
use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::prelude::{Model, Prompt, View};
use openoxide_skills::render::catalog_budget;

use crate::catalog_use::{draw, shows_less};
use crate::link::is_elsewhere;

/// What a change would do that nobody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    /// The catalog of the agent with this title would not show as much of each skill as now.
    Overflow(String),
    /// A name would mean two skills to the agent with this title, or a skill would take the place of another.
    Clash(String),
    /// The agent with this title would find one more skill that it ignores.
    Ignored(String),
    /// The agent would still not use the skill.
    NoUse,
    /// It was not tried, because too many others did harm.
    Untried,
}

pub(super) struct AgentState {
    /// What the model sees; absent: the catalog has no limit.
    prompt: Option<Prompt>,
    active: HashSet<PathBuf>,
    /// The skills that were found, active or not.
    found: HashSet<PathBuf>,
    /// How many skills share their name with another one that is active.
    doubled: usize,
}

impl AgentState {
    pub(super) fn of(workspace: &Workspace, view: &View, catalog: &Arc<Catalog>) -> AgentState {
        let has_limit = catalog_budget(view, Model::default()).is_some();
        let prompt = if has_limit { draw(workspace, view, catalog) } else { None };
        let mut names: HashMap<&str, usize> = HashMap::new();
        for entry in &catalog.skills {
            *names.entry(&entry.skill.name).or_default() += 1;
        }
        AgentState {
            prompt,
            active: catalog.skills.iter().map(Entry::canonical).map(ToOwned::to_owned).collect(),
            found: catalog
                .entries()
                .filter(|entry| !is_elsewhere(entry))
                .map(|entry| entry.canonical().to_owned())
                .collect(),
            doubled: names.into_values().filter(|number| *number > 1).sum(),
        }
    }

    /// Says how this is worse than what was before, if it is.
    pub(super) fn compare(&self, view: &View, before: &AgentState) -> Result<(), Harm> {
        let title = || view.host.title.clone();
        if self.doubled > before.doubled || !before.active.is_subset(&self.active) {
            return Err(Harm::Clash(title()));
        }
        let is_ignored = |path: &&PathBuf| !self.active.contains(*path) && !before.found.contains(*path);
        if self.found.iter().any(|path| is_ignored(&path)) {
            return Err(Harm::Ignored(title()));
        }
        let loses = |(before, after)| shows_less(before, after);
        match before.prompt.as_ref().zip(self.prompt.as_ref()).is_some_and(loses) {
            true => Err(Harm::Overflow(title())),
            false => Ok(()),
        }
    }
}
