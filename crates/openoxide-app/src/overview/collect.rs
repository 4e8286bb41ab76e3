//! Collects what to fix, each with an action that fixes it or shows more. What costs most comes first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use openoxide_config::ConfigProblem;
use openoxide_skills::catalog::{Catalog, load};
use openoxide_skills::prelude::{Code, Depth, Entry, Status, View};
use openoxide_skills::root::Surroundings;
use openoxide_wire::SuggestionLine;

use super::glance::{Agent, Glance};
use super::{action::Action, crowded::crowded, dropped::DroppedSkills, unseen::UnseenSkills};
use crate::catalog_use::{draw, shows_less};
use crate::numbers::listed;
use crate::{paths, trial::Trial, trust::holds_home};

pub(super) fn collect(glance: &Glance<'_>) -> Vec<SuggestionLine> {
    let trial =
        Trial::new(glance.workspace, &glance.searched, glance.agents.iter().map(|agent| (agent.number, &agent.view)));
    let mut dropped = DroppedSkills::default();
    for agent in &glance.agents {
        dropped.add_invalid(agent);
    }
    let unseen: Vec<UnseenSkills<'_>> =
        glance.agents.iter().flat_map(|agent| UnseenSkills::of(glance, agent, &mut dropped)).collect();
    let number_unseen = |agent: &Agent| unseen.iter().map(|unseen| unseen.number_for(agent)).sum();
    let mut lines: Vec<SuggestionLine> =
        glance.agents.iter().filter_map(|agent| crowded(glance, agent, number_unseen(agent))).collect();
    lines.extend(dropped.suggest(glance, &trial));
    lines.extend(glance.agents.iter().filter_map(|agent| untrusted(glance, agent)));
    lines.extend(unseen.iter().flat_map(|unseen| unseen.suggest(&trial)));
    lines.extend(shadowed(glance));
    // Of two that cost the same, the one that a command fixes comes first.
    lines.sort_by_key(|line| (std::cmp::Reverse(line.cost), !line.fixes));
    // Settings that are not understood may cost anything.
    let misread = glance.agents.iter().flat_map(|agent| misread(glance, agent));
    misread.chain(lines).collect()
}

/// Skills of the project that would be active if it were trusted.
fn untrusted(glance: &Glance<'_>, agent: &Agent) -> Option<SuggestionLine> {
    let entries: Vec<&Entry> = agent.catalog.others.iter().filter(|entry| entry.status == Status::Untrusted).collect();
    let first = entries.first()?;
    let (subject, does, whose) = match entries.len() {
        1 => (first.skill.name.to_string(), "does", "the skill"),
        more => (format!("{more} skills"), "do", "skills"),
    };
    let text = format!("{subject}: the project is not trusted, so its version {does} not replace yours");
    let text = if whose == "skills" { text.replace("its version do", "its versions do") } else { text };
    let may_trust = !holds_home(glance.workspace, &glance.workspace.project) && !overflows_if_trusted(glance, agent);
    let action = if may_trust { Action::Trust } else { glance.explain(&agent.catalog, first) };
    Some(SuggestionLine {
        code: code(first),
        fixes: may_trust,
        cost: entries.len(),
        agents: vec![agent.view.spec.id()],
        ..glance.suggest(&subject, text, &action)
    })
}

fn overflows_if_trusted(glance: &Glance<'_>, agent: &Agent) -> bool {
    let around = Surroundings { trusted: true, ..(*agent.view.around).clone() };
    let view = View { around: Arc::new(around), ..agent.view.clone() };
    let catalog: Arc<Catalog> = Arc::new(load(std::slice::from_ref(&view), Depth::Quick).remove(0));
    let after = draw(glance.workspace, &view, &catalog);
    let both = agent.prompt.as_ref().zip(after.as_ref());
    both.is_some_and(|(before, after)| shows_less(before, after))
}

/// Settings of an agent that cannot be read, or that name what is not there.
fn misread(glance: &Glance<'_>, agent: &Agent) -> Vec<SuggestionLine> {
    let suggest = |problem: &ConfigProblem| {
        let (title, message) = (&agent.view.host.title, &problem.diagnostic.message);
        let text = match &problem.path {
            Some(path) => format!("{title}: {}: {message}", paths::short(glance.workspace, path)),
            None => format!("{title}: {message}"),
        };
        let (code, host) = (Some(problem.diagnostic.code.to_string()), agent.view.spec.id());
        let line = glance.suggest(title, text, &Action::Roots(host.clone()));
        SuggestionLine { code, agents: vec![host], ..line }
    };
    agent.problems.iter().map(suggest).collect()
}

/// Skills, each with an agent that found it.
type Found<'f> = Vec<(&'f Agent, &'f Entry)>;

/// Skills whose name another one has: those that the same agents ignore in one folder for that together.
fn shadowed(glance: &Glance<'_>) -> Vec<SuggestionLine> {
    let mut files: BTreeMap<&Path, Found<'_>> = BTreeMap::new();
    for agent in &glance.agents {
        // A skill that is found again, by a link, is not another one.
        let active: BTreeSet<&Path> = agent.catalog.skills.iter().map(Entry::canonical).collect();
        let is_shadowed = |entry: &&Entry| {
            let by_name = entry.reason.as_ref().is_some_and(|reason| reason.code == Code::ShadowedName);
            by_name && !active.contains(entry.canonical())
        };
        for entry in agent.catalog.others.iter().filter(is_shadowed) {
            let found = files.entry(entry.canonical()).or_default();
            if !found.iter().any(|(known, _)| std::ptr::eq(*known, agent)) {
                found.push((agent, entry));
            }
        }
    }
    let mut groups: BTreeMap<(Option<&Path>, Vec<usize>), Found<'_>> = BTreeMap::new();
    for (file, found) in files {
        let agents = found.iter().map(|(agent, _)| agent.number).collect();
        groups.entry((file.parent().and_then(Path::parent), agents)).or_default().extend(found.first());
    }
    groups.into_iter().filter_map(|((_, agents), found)| shadowed_line(glance, &agents, &found)).collect()
}

fn shadowed_line(glance: &Glance<'_>, agents: &[usize], found: &[(&Agent, &Entry)]) -> Option<SuggestionLine> {
    let (agent, entry) = *found.first()?;
    let agents: Vec<&Agent> = glance.agents.iter().filter(|agent| agents.contains(&agent.number)).collect();
    let titles: Vec<&str> = agents.iter().map(|agent| agent.view.host.title.as_str()).collect();
    let (who, verb) = (listed(&titles), if titles.len() == 1 { "ignores" } else { "ignore" });
    let (name, folder) = (&entry.skill.name, entry.dir());
    let (subject, text) = match found.len() {
        1 => {
            let place = paths::short(glance.workspace, folder);
            (name.to_string(), format!("{name}: {who} {verb} {place}, because another skill has this name"))
        }
        many => {
            let place = paths::short(glance.workspace, folder.parent().unwrap_or(folder));
            let text = format!("{who} {verb} {many} skills in {place}, such as {name}: others have their names");
            (format!("{many} skills"), text)
        }
    };
    Some(SuggestionLine {
        code: code(entry),
        agents: agents.iter().map(|agent| agent.view.spec.id()).collect(),
        // The agents have a skill of each name; only which one is in question.
        cost: agents.len(),
        ..glance.suggest(&subject, text, &glance.explain(&agent.catalog, entry))
    })
}

fn code(entry: &Entry) -> Option<String> {
    entry.reason.as_ref().map(|reason| reason.code.to_string())
}
