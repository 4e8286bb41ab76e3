//! Use case: shows the agents found, how many skills each of them sees, and what is worth fixing.

mod action;
mod collect;
mod dropped;
mod glance;
mod unseen;

use std::{collections::BTreeSet, path::Path};

use openoxide_live::PlaceSettings;
use openoxide_skills::prelude::{Catalog, Entry, Status};
use openoxide_skills::text::path_text;
use openoxide_wire::{AgentLine, OverviewAnswer, SchemaVersion};

use crate::{error::Error, hosts::found_paths, link::is_elsewhere};

use glance::{Agent, Glance};

pub use action::Action;

/// Looks at a project as OpenOxide and every agent found do. `command` writes an action in the words of the face.
pub fn overview(settings: &PlaceSettings, command: &dyn Fn(&Action) -> String) -> Result<OverviewAnswer, Error> {
    let glance = Glance::new(settings, command)?;
    let catalogs = || std::iter::once(&glance.own).chain(glance.agents.iter().map(|agent| &*agent.catalog));
    let skills: BTreeSet<&Path> = catalogs().flat_map(|catalog| &catalog.skills).map(Entry::canonical).collect();
    let root = |catalog: &Catalog, at: usize| catalog.roots[at].canonical.clone();
    let folders: BTreeSet<_> =
        catalogs().flat_map(|catalog| catalog.skills.iter().map(|entry| root(catalog, entry.root))).collect();
    Ok(OverviewAnswer {
        schema: SchemaVersion::default(),
        project: path_text(&settings.workspace.project),
        skills: skills.len(),
        folders: folders.len(),
        agents: glance.agents.iter().map(agent_line).collect(),
        hosts: settings.workspace.hosts.names().count(),
        suggestions: collect::collect(&glance),
    })
}

fn agent_line(agent: &Agent) -> AgentLine {
    // An active skill that is found again, by a link, is not one more that is hidden.
    let active: BTreeSet<&Path> = agent.catalog.skills.iter().map(Entry::canonical).collect();
    let is_new = |entry: &&Entry| !is_elsewhere(entry) && !active.contains(entry.canonical());
    let others = || agent.catalog.others.iter().filter(is_new);
    let broken = others().filter(|entry| entry.status == Status::Invalid).count();
    AgentLine {
        name: agent.view.spec.id(),
        title: agent.view.host.title.clone(),
        found: found_paths(&agent.installation),
        sees: agent.catalog.skills.len(),
        hidden: others().count() - broken,
        broken,
        used: agent.prompt.as_ref().map(|prompt| prompt.used),
        room: agent.prompt.as_ref().and_then(|prompt| prompt.budget),
        unit: agent.prompt.as_ref().map(|prompt| prompt.unit.as_str().to_owned()),
    }
}
