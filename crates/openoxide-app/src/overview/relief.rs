//! Which skills can be switched off so that all others fit into a full catalog, tried in memory.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use openoxide_config::{SettingsOwner, SkillSelector};
use openoxide_skills::prelude::{Catalog, Entry, Prompt, View};
use openoxide_skills::render::{DetailLevel, ShownSkill};

use super::glance::{Agent, Glance};
use crate::catalog_use::{draw, rank};
use crate::skill_id::SkillReference;
use crate::switch::tried;
use crate::trial::by_halves;

/// What can be done about a full catalog.
pub(super) struct Relief<'r> {
    /// The skills that can go, largest first: those that the agent's settings switch off, or all if they switch off none.
    candidates: Vec<&'r Entry>,
    /// The skills of the catalog, largest first.
    by_cost: Vec<&'r Entry>,
    /// How many of the candidates have to go for all others to fit; absent if that is not enough.
    pub(super) excess: Option<usize>,
    /// The skills that a command switches off, so that more is shown of others and of none less.
    pub(super) offered: Vec<SkillReference>,
}

/// Returns what a prompt shows, the largest first.
pub(super) fn by_cost(prompt: &Prompt) -> Vec<&ShownSkill> {
    let mut shown: Vec<&ShownSkill> = prompt.shown.iter().collect();
    shown.sort_by_key(|shown| std::cmp::Reverse(shown.cost));
    shown
}

impl<'r> Relief<'r> {
    /// Tries which skills of an agent can be switched off, and offers at most `most` of them.
    pub(super) fn find(glance: &Glance<'_>, agent: &'r Agent, prompt: &Prompt, most: usize) -> Relief<'r> {
        let entries: HashMap<&Path, &Entry> =
            agent.catalog.skills.iter().map(|entry| (&*entry.skill.path, entry)).collect();
        let by_cost: Vec<&Entry> =
            by_cost(prompt).into_iter().filter_map(|shown| entries.get(&*shown.path).copied()).collect();
        let experiment = Experiment { glance, agent, prompt };
        let switched = experiment.switched(&by_cost);
        let has_switch = !switched.is_empty();
        let candidates = if has_switch { switched } else { by_cost.clone() };
        let excess = experiment.excess(&candidates);
        let number = if has_switch { excess.unwrap_or(most).min(most) } else { 0 };
        let largest = candidates.iter().take(number).map(|entry| experiment.reference(entry));
        let offered = Some(largest.collect::<Vec<_>>()).filter(|skills| experiment.wins_without(skills));
        Relief { offered: offered.unwrap_or_default(), candidates, by_cost, excess }
    }

    /// Tells whether those that have to go are the largest of all.
    pub(super) fn is_largest(&self) -> bool {
        let number = self.excess.unwrap_or_default();
        let is_same = |(one, other): (&&Entry, &&Entry)| one.skill.path == other.skill.path;
        self.candidates.iter().zip(&self.by_cost).take(number).all(is_same)
    }
}

struct Experiment<'t> {
    glance: &'t Glance<'t>,
    agent: &'t Agent,
    prompt: &'t Prompt,
}

impl Experiment<'_> {
    fn reference(&self, entry: &Entry) -> SkillReference {
        SkillReference::of(&self.agent.catalog, entry)
    }

    /// Returns everything that the agent finds, as its settings switch it.
    fn found(&self) -> (&View, &Catalog) {
        (&self.agent.view, &self.glance.searched.catalogs[self.agent.number])
    }

    /// Returns the skills that the user's settings of the agent can switch off. Those that can all be are planned at once:
    /// each plan reads the settings.
    fn switched<'e>(&self, entries: &[&'e Entry]) -> Vec<&'e Entry> {
        let workspace = self.glance.workspace;
        if !workspace.has_switch(&self.agent.view, false, SettingsOwner::User) {
            return Vec::new();
        }
        let outcomes = by_halves(entries, &|some| if self.have_switches(some) { Ok(()) } else { Err(()) });
        let switched = entries.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_ok());
        switched.map(|(entry, _)| *entry).collect()
    }

    fn have_switches(&self, entries: &[&Entry]) -> bool {
        let selectors = entries.iter().map(|entry| self.reference(entry).selector());
        let Some(selectors) = selectors.collect::<Option<Vec<_>>>() else { return false };
        let (view, found) = self.found();
        self.glance.workspace.plan_switch(view, found, &selectors, false, SettingsOwner::User).is_ok()
    }

    /// Returns how many of the candidates have to go, largest first, for all descriptions of the others to fit.
    fn excess(&self, candidates: &[&Entry]) -> Option<usize> {
        let numbers: Vec<usize> = (1..=candidates.len()).collect();
        // What fits without some skills fits without more of them.
        let at = numbers.partition_point(|number| !self.fits_without(&candidates[..*number]));
        numbers.get(at).copied()
    }

    fn fits_without(&self, gone: &[&Entry]) -> bool {
        let gone: HashSet<&Path> = gone.iter().map(|entry| &*entry.skill.path).collect();
        let mut catalog = (*self.agent.catalog).clone();
        catalog.skills.retain(|entry| !gone.contains(&*entry.skill.path));
        let wanted = catalog.skills.iter().filter(|entry| !entry.name_only);
        let wanted: HashSet<Arc<Path>> = wanted.map(|entry| Arc::clone(&entry.skill.path)).collect();
        let prompt = draw(self.glance.workspace, &self.agent.view, &Arc::new(catalog));
        let is_whole = |shown: &ShownSkill| shown.detail == DetailLevel::Full || !wanted.contains(&*shown.path);
        prompt.is_some_and(|prompt| prompt.shown.iter().all(is_whole))
    }

    /// Tells whether more is shown of some skill, and of none less, once these are switched off.
    fn wins_without(&self, skills: &[SkillReference]) -> bool {
        let selectors: Option<Vec<SkillSelector>> = skills.iter().map(SkillReference::selector).collect();
        let Some(selectors) = selectors.filter(|selectors| !selectors.is_empty()) else { return false };
        let workspace = self.glance.workspace;
        let Some(trial) = tried(workspace, self.found(), &selectors, false, SettingsOwner::User) else { return false };
        let catalog = trial.catalog.as_model_sees(&trial.view);
        let Some(after) = draw(workspace, &trial.view, &Arc::new(catalog)) else { return false };
        let before: HashMap<&Path, DetailLevel> =
            self.prompt.shown.iter().map(|shown| (&*shown.path, shown.detail)).collect();
        let changes = after.shown.iter().filter_map(|now| Some((rank(*before.get(&*now.path)?), rank(now.detail))));
        let (mut wins, mut loses) = (false, false);
        for (before, now) in changes {
            wins |= now > before;
            loses |= now < before;
        }
        wins && !loses
    }
}
