//! Tries in memory what a change would do to the agents of a person, before it is suggested.

mod change;
mod state;

use std::cell::RefCell;
use std::sync::Arc;

use openoxide_config::Workspace;
use openoxide_skills::catalog::{Catalog, Searched};
use openoxide_skills::prelude::View;

pub(crate) use change::Change;
use state::AgentState;
pub(crate) use state::Harm;

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

    /// Returns which of some changes do no harm, and accepts them. Those that do none together are tried once.
    pub(crate) fn accept_each(&self, changes: &[Vec<Change>]) -> Vec<Result<(), Harm>> {
        by_halves(changes, &|part| self.accept(part.concat()))
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

/// Accepts a list as a whole, or else the first half and then the second in the same way: a trial is costly, and most lists
/// have few items that do harm.
fn by_halves<T, E>(items: &[T], accept: &impl Fn(&[T]) -> Result<(), E>) -> Vec<Result<(), E>> {
    if items.is_empty() {
        return Vec::new();
    }
    match (accept(items), items) {
        (Ok(()), _) => items.iter().map(|_| Ok(())).collect(),
        (Err(error), [_]) => vec![Err(error)],
        (Err(_), _) => {
            let (first, second) = items.split_at(items.len() / 2);
            [first, second].into_iter().flat_map(|half| by_halves(half, accept)).collect()
        }
    }
}

#[cfg(test)]
mod tests;
