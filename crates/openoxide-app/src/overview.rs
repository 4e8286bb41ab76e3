//! Use case: shows the agents found, how many skills each of them sees, and what is worth fixing.

mod advice;
mod collect;
mod dropped;
mod glance;
mod unseen;

use std::collections::BTreeSet;
use std::path::Path;

use openoxide_live::PlaceSettings;
use openoxide_skills::catalog::{Catalog, Entry, Status};
use openoxide_skills::text::path_text;
use openoxide_wire::{AgentLine, OverviewAnswer, SchemaVersion};

use crate::error::Error;
use crate::link::is_elsewhere;

use glance::{Agent, Glance};

pub use advice::{Action, Advice};

/// A project at a glance.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The answer as JSON has it, but for what is worth fixing: each face writes that in its own words.
    pub answer: OverviewAnswer,
    /// What is worth fixing, worst first.
    pub advice: Vec<Advice>,
}

/// Looks at a project with the eyes of OpenOxide and of every agent found.
pub fn overview(settings: &PlaceSettings) -> Result<Overview, Error> {
    let glance = Glance::new(settings)?;
    let catalogs = || std::iter::once(&glance.own).chain(glance.agents.iter().map(|agent| &*agent.catalog));
    let skills: BTreeSet<&Path> = catalogs().flat_map(|catalog| &catalog.skills).map(Entry::canonical).collect();
    let root = |catalog: &Catalog, at: usize| catalog.roots[at].canonical.clone();
    let folders: BTreeSet<_> =
        catalogs().flat_map(|catalog| catalog.skills.iter().map(|entry| root(catalog, entry.root))).collect();
    let answer = OverviewAnswer {
        schema: SchemaVersion::default(),
        project: path_text(&settings.workspace.project),
        skills: skills.len(),
        folders: folders.len(),
        agents: glance.agents.iter().map(agent_line).collect(),
        hosts: settings.workspace.hosts.names().count(),
        suggestions: Vec::new(),
    };
    Ok(Overview { answer, advice: collect::collect(&glance) })
}

fn agent_line(agent: &Agent) -> AgentLine {
    // An active skill that is found again, by a link, is not one more that is hidden.
    let active: BTreeSet<&Path> = agent.catalog.skills.iter().map(Entry::canonical).collect();
    let is_new = |entry: &&Entry| !is_elsewhere(entry) && !active.contains(entry.canonical());
    let others = || agent.catalog.others.iter().filter(is_new);
    let broken = others().filter(|entry| entry.status == Status::Invalid).count();
    let installation = &agent.installation;
    let found = installation.program.iter().chain(&installation.home).chain(&installation.project);
    AgentLine {
        name: agent.view.spec.id(),
        title: agent.view.host.title.clone(),
        found: found.map(|path| path_text(path)).collect(),
        sees: agent.catalog.skills.len(),
        hidden: others().count() - broken,
        broken,
        used: agent.prompt.as_ref().map(|prompt| prompt.used),
        room: agent.prompt.as_ref().and_then(|prompt| prompt.budget),
        unit: agent.prompt.as_ref().map(|prompt| prompt.unit.as_str().to_owned()),
    }
}
