//! Use case: shows your agents, how many skills are active in each, what their catalogs take, and what to fix.

mod action;
mod collect;
mod crowded;
mod dropped;
mod glance;
mod relief;
mod unseen;

use std::collections::BTreeSet;
use std::path::Path;

use openoxide_config::MyAgentsOrigin;
use openoxide_live::PlaceSettings;
use openoxide_skills::prelude::{Catalog, SkillScope};
use openoxide_skills::text::path_text;
use openoxide_wire::{AgentLine, CatalogUse, OverviewAnswer, SchemaVersion};

use crate::{
    error::Error,
    hosts::{found_paths, installed_line},
    list::ignored,
};

use glance::{Agent, Glance};

pub use action::Action;

/// Looks at a project as your agents do. `command` writes an action in the words of the face.
pub fn overview(settings: &PlaceSettings, command: &dyn Fn(&Action) -> String) -> Result<OverviewAnswer, Error> {
    let glance = Glance::new(settings, command)?;
    let found =
        || glance.searched.catalogs.iter().flat_map(|catalog| catalog.skills.iter().map(move |entry| (catalog, entry)));
    // What comes with a program that is none of your agents is none of your skills.
    let is_mine = |catalog: &Catalog| glance.agents.iter().any(|agent| agent.catalog.host == catalog.host);
    let yours = || found().filter(|(catalog, entry)| entry.skill.scope != SkillScope::System || is_mine(catalog));
    let skills: BTreeSet<&Path> = yours().map(|(_, entry)| entry.canonical()).collect();
    let folders: BTreeSet<&Path> = yours().map(|(catalog, entry)| &*catalog.roots[entry.root].canonical).collect();
    Ok(OverviewAnswer {
        schema: SchemaVersion::default(),
        project: path_text(&settings.workspace.project),
        skills: skills.len(),
        folders: folders.len(),
        agents_from: origin(&glance.origin).to_owned(),
        agents: glance.agents.iter().map(agent_line).collect(),
        hosts: settings.workspace.hosts.names().map(ToOwned::to_owned).collect(),
        to_fix: collect::collect(&glance),
    })
}

fn origin(origin: &MyAgentsOrigin) -> &'static str {
    match origin {
        MyAgentsOrigin::Named => "named",
        MyAgentsOrigin::Listed(_) => "listed",
        MyAgentsOrigin::Found => "found",
        MyAgentsOrigin::NoneFound => "none",
    }
}

fn agent_line(agent: &Agent) -> AgentLine {
    AgentLine {
        name: agent.view.spec.id(),
        title: agent.view.host.title.clone(),
        found: found_paths(&agent.installation),
        installed: installed_line(&agent.view, &agent.installation),
        active: agent.catalog.skills.len(),
        ignored: ignored(&agent.catalog),
        catalog: agent.prompt.as_ref().map(CatalogUse::from),
    }
}
