//! Tries in memory what a change would do to the agents of a person, before it is suggested.

mod change;
mod halves;
mod state;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use openoxide_config::Workspace;
use openoxide_skills::catalog::{Catalog, Searched};
use openoxide_skills::prelude::View;

pub(crate) use change::Change;
pub(crate) use halves::by_halves;
use state::AgentState;
pub(crate) use state::Harm;

/// How many attempts may fail before other changes are neither tried nor suggested: where a catalog is full, all would
/// fail.
const MOST_FAILED: usize = 100;

/// What changes would do to some agents. A change that does no harm is taken as made by those that are tried after it, so
/// that all that is suggested does no harm together either.
pub(crate) struct Trial<'t> {
    workspace: &'t Workspace,
    searched: &'t Searched,
    /// The agents: their numbers in the search, and their views.
    agents: Vec<(usize, &'t View)>,
    before: Vec<AgentState>,
    accepted: RefCell<Vec<Change>>,
}

impl<'t> Trial<'t> {
    /// Begins with the agents as they are.
    pub(crate) fn new(
        workspace: &'t Workspace,
        searched: &'t Searched,
        agents: impl IntoIterator<Item = (usize, &'t View)>,
    ) -> Trial<'t> {
        let agents: Vec<(usize, &View)> = agents.into_iter().collect();
        let state = |(number, view): &(usize, &View)| {
            AgentState::of(workspace, view, &Arc::new(searched.catalogs[*number].clone()))
        };
        let before = agents.iter().map(state).collect();
        Trial { workspace, searched, agents, before, accepted: RefCell::default() }
    }

    /// Tries changes together; accepts them if they do no harm, or else says what harm they do.
    pub(crate) fn accept(&self, changes: Vec<Change>) -> Result<(), Harm> {
        let mut all = self.accepted.borrow().clone();
        all.extend(changes);
        self.harm(&all)?;
        *self.accepted.borrow_mut() = all;
        Ok(())
    }

    /// Returns which of some changes do no harm, and accepts them. Those that do none together are tried once; after too
    /// many that do harm, the others are not tried.
    pub(crate) fn accept_each(&self, changes: &[Vec<Change>]) -> Vec<Result<(), Harm>> {
        let failed = Cell::new(0);
        by_halves(changes, &|part| {
            if failed.get() >= MOST_FAILED {
                return Err(Harm::Untried);
            }
            self.accept(part.concat()).inspect_err(|_| failed.set(failed.get() + 1))
        })
    }

    fn harm(&self, changes: &[Change]) -> Result<(), Harm> {
        let links: Vec<_> = changes.iter().filter_map(Change::link).cloned().collect();
        let linked = self.searched.with_links(&links);
        for ((number, view), before) in self.agents.iter().zip(&self.before) {
            let found = linked.iter().find(|(changed, _)| changed == number).map(|(_, catalog)| catalog);
            let activated = || changes.iter().filter_map(|change| change.activated(*number));
            if found.is_none() && activated().next().is_none() {
                continue;
            }
            let mut after: Catalog = found.unwrap_or(&self.searched.catalogs[*number]).clone();
            after.skills.extend(activated().cloned());
            AgentState::of(self.workspace, view, &Arc::new(after)).compare(view, before)?;
        }
        let is_missed = |change: &&Change| {
            let looks = |number: usize| linked.iter().find(|(changed, _)| *changed == number);
            change.wanted().is_some_and(|(number, name)| {
                !looks(number).is_some_and(|(_, catalog)| catalog.skills.iter().any(|entry| *entry.skill.name == *name))
            })
        };
        if changes.iter().any(|change| is_missed(&change)) { Err(Harm::NoUse) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
