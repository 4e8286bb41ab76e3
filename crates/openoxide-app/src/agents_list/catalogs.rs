//! The catalogs of your agents, and one row for each file that one of them found.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use openoxide_config::{ConfigProblem, MyAgents, Workspace};
use openoxide_runtime::seen_by_model;
use openoxide_skills::catalog::Problem;
use openoxide_skills::prelude::{Catalog, Depth, Entry, View, load};

use super::shown::{Mark, Shown};
use crate::{catalog_use::CatalogUse, list::unsearched};

/// What your agents found.
#[derive(Clone, Debug)]
pub struct AgentCatalogs {
    /// The agents, in their order.
    pub agents: Vec<AgentCatalog>,
}

/// What one agent found.
#[derive(Clone, Debug)]
pub struct AgentCatalog {
    /// Its view.
    pub view: View,
    /// What is wrong with its own settings.
    pub problems: Vec<ConfigProblem>,
    /// What it found.
    pub catalog: Arc<Catalog>,
    shown: Shown,
}

/// What your agents make of one file.
#[derive(Clone, Debug)]
pub struct SkillRow<'a> {
    /// The entry of each agent that found it, in the order of the agents.
    pub entries: Vec<Option<&'a Entry>>,
}

impl AgentCatalogs {
    /// Searches for the skills of some agents; a folder that several look into is searched once.
    pub fn load(workspace: &Workspace, agents: MyAgents, depth: Depth) -> AgentCatalogs {
        let (views, problems): (Vec<View>, Vec<Vec<ConfigProblem>>) =
            agents.hosts.into_iter().map(|host| (host.view, host.problems)).unzip();
        // A person who has to fix unreadable permission rules still sees every skill.
        let seen = |catalog: Arc<Catalog>| seen_by_model(workspace, Arc::clone(&catalog)).unwrap_or(catalog);
        let found = load(&views, depth).into_iter().zip(&views).map(|(catalog, view)| catalog.as_model_sees(view));
        let catalogs: Vec<Arc<Catalog>> = found.map(|catalog| seen(Arc::new(catalog))).collect();
        let shown = shown_by_all(&views, &catalogs);
        let agents = views.into_iter().zip(problems).zip(catalogs).zip(shown);
        let agent = |(((view, problems), catalog), shown)| AgentCatalog { view, problems, catalog, shown };
        AgentCatalogs { agents: agents.map(agent).collect() }
    }

    /// Returns a row for each file, by scope, name and path.
    pub fn rows(&self) -> Vec<SkillRow<'_>> {
        let mut at: HashMap<&Path, usize> = HashMap::new();
        let mut rows: Vec<SkillRow<'_>> = Vec::new();
        for (column, agent) in self.agents.iter().enumerate() {
            for entry in agent.catalog.entries() {
                let row = *at.entry(entry.canonical()).or_insert(rows.len());
                if row == rows.len() {
                    rows.push(SkillRow { entries: vec![None; self.agents.len()] });
                }
                let known = &mut rows[row].entries[column];
                // A file that was found twice is active if one of its finds is.
                if known.is_none_or(|known| entry.status < known.status) {
                    *known = Some(entry);
                }
            }
        }
        rows.sort_by(|left, right| left.key().cmp(&right.key()));
        rows
    }

    /// Returns the places that some agent could not search, each once, by path.
    pub fn unsearched(&self) -> Vec<&Problem> {
        let mut all: Vec<&Problem> = self.agents.iter().flat_map(|agent| unsearched(&agent.catalog)).collect();
        all.sort_by(|left, right| left.path.cmp(&right.path));
        all.dedup_by(|left, right| left.path == right.path && left.diagnostic.code == right.diagnostic.code);
        all
    }

    /// Returns what the catalog of an agent takes, if it has a limit.
    pub fn catalog_use(&self, column: usize) -> Option<&CatalogUse> {
        self.agents[column].shown.catalog.as_ref()
    }

    /// Returns what an agent makes of the file of a row.
    pub fn mark(&self, row: &SkillRow<'_>, column: usize) -> Mark {
        row.entries[column].map_or(Mark::NotFound, |entry| self.agents[column].shown.mark(entry))
    }
}

/// Draws what the model of each agent sees, all at once.
fn shown_by_all(views: &[View], catalogs: &[Arc<Catalog>]) -> Vec<Shown> {
    std::thread::scope(|scope| {
        let draw = |(view, catalog)| scope.spawn(move || Shown::new(view, catalog));
        let drawn: Vec<_> = views.iter().zip(catalogs).map(draw).collect();
        // A template that fails to draw shows nothing that could be shortened.
        drawn.into_iter().map(|drawn| drawn.join().unwrap_or_default()).collect()
    })
}

impl<'a> SkillRow<'a> {
    /// Returns the agent whose entry describes the skill, and that entry: the first where it is active, or else the first
    /// that found it.
    pub fn main(&self) -> Option<(usize, &'a Entry)> {
        let found = || self.entries.iter().enumerate().filter_map(|(column, entry)| Some((column, (*entry)?)));
        found().find(|(_, entry)| entry.is_active()).or_else(|| found().next())
    }

    /// Tells whether it is active in one of the agents.
    pub fn is_active(&self) -> bool {
        self.entries.iter().flatten().any(|entry| entry.is_active())
    }

    fn key(&self) -> impl Ord + use<'a> {
        self.main().map(|(_, entry)| (entry.skill.scope, &*entry.skill.name, entry.canonical()))
    }
}
