//! Collects what is worth fixing, worst first, each with the one action that fixes it or shows more.

use std::collections::BTreeSet;

use openoxide_config::ConfigProblem;
use openoxide_skills::prelude::{Code, Entry, Status};
use openoxide_skills::{render::DetailLevel, settings::Origin};
use openoxide_wire::SuggestionLine;

use super::glance::{Agent, Glance};
use super::{action::Action, dropped::DroppedSkills, unseen::unseen_by};
use crate::{paths, skill_id::SkillReference, trust::holds_home};

pub(super) fn collect(glance: &Glance<'_>) -> Vec<SuggestionLine> {
    let mut dropped = DroppedSkills::default();
    for agent in &glance.agents {
        dropped.add_invalid(&agent.view, &agent.catalog);
    }
    if glance.agents.is_empty() {
        dropped.add_invalid(glance.view, &glance.own);
    }
    let agents = glance.agents.iter();
    let unseen: Vec<SuggestionLine> = agents.clone().flat_map(|agent| unseen_by(glance, agent, &mut dropped)).collect();
    let mut lines = dropped.suggest(glance);
    lines.extend(untrusted(glance));
    lines.extend(unseen);
    lines.extend(agents.clone().filter_map(|agent| crowded(glance, agent)));
    lines.extend(shadowed(glance));
    lines.extend(switched_off(glance));
    // What one action fixes comes first.
    lines.sort_by_key(|line| !line.fixes);
    agents.flat_map(|agent| misread(glance, agent)).chain(lines).collect()
}

/// Skills of the project that would be active if it were trusted.
fn untrusted(glance: &Glance<'_>) -> Option<SuggestionLine> {
    let mut entries = glance.own.others.iter().filter(|entry| entry.status == Status::Untrusted);
    let first = entries.next()?;
    let more = entries.count();
    let (subject, text) = match more {
        0 => (first.skill.name.to_string(), "the project is not trusted, so its skill does not replace yours"),
        _ => (format!("{} skills", more + 1), "the project is not trusted, so its skills do not replace yours"),
    };
    Some(SuggestionLine {
        code: code(first),
        fixes: !holds_home(glance.workspace, &glance.workspace.project),
        ..glance.suggest(&subject, text.to_owned(), &Action::Trust)
    })
}

/// Settings of an agent that cannot be read, or that name what is not there.
fn misread(glance: &Glance<'_>, agent: &Agent) -> Vec<SuggestionLine> {
    let suggest = |problem: &ConfigProblem| {
        let message = &problem.diagnostic.message;
        let text = match &problem.path {
            Some(path) => format!("{}: {message}", paths::short(glance.workspace, path)),
            None => message.clone(),
        };
        let code = Some(problem.diagnostic.code.to_string());
        SuggestionLine { code, ..about_agent(glance, agent, text, Action::Roots) }
    };
    agent.problems.iter().map(suggest).collect()
}

/// A catalog that is too large for its budget.
fn crowded(glance: &Glance<'_>, agent: &Agent) -> Option<SuggestionLine> {
    let shown = &agent.prompt.as_ref()?.shown;
    let lost = shown.iter().filter(|shown| shown.detail == DetailLevel::LeftOut).count();
    let text = || format!("its catalog is full: {lost} of {} skills are not shown to the model", shown.len());
    (lost > 0).then(|| about_agent(glance, agent, text(), Action::Prompt))
}

fn about_agent(glance: &Glance<'_>, agent: &Agent, text: String, action: fn(String) -> Action) -> SuggestionLine {
    let host = agent.view.spec.id();
    let line = glance.suggest(&agent.view.host.title, text, &action(host.clone()));
    SuggestionLine { agents: vec![host], ..line }
}

/// Skills whose name another one has.
fn shadowed(glance: &Glance<'_>) -> Vec<SuggestionLine> {
    let mut names = BTreeSet::new();
    let entries = others(glance, Code::ShadowedName).filter(|entry| names.insert(&entry.skill.name));
    let suggest = |entry: &Entry| {
        let text = format!("{} is shadowed by another skill of this name", paths::short(glance.workspace, entry.dir()));
        SuggestionLine { code: code(entry), ..glance.suggest(&entry.skill.name, text, &glance.explain(entry)) }
    };
    entries.map(suggest).collect()
}

/// Skills that a setting switches off.
fn switched_off(glance: &Glance<'_>) -> Vec<SuggestionLine> {
    let suggest = |entry: &Entry| {
        let enable = enable(glance, entry);
        let fixes = enable.is_some();
        let action = enable.unwrap_or_else(|| glance.explain(entry));
        let reason = entry.reason.as_ref().map_or("", |reason| &reason.text);
        let text = paths::abbreviate_home(glance.workspace, reason);
        SuggestionLine { code: code(entry), fixes, ..glance.suggest(&entry.skill.name, text, &action) }
    };
    others(glance, Code::DisabledBySetting).map(suggest).collect()
}

fn others<'g>(glance: &'g Glance<'_>, code: Code) -> impl Iterator<Item = &'g Entry> {
    glance.own.others.iter().filter(move |entry| entry.reason.as_ref().is_some_and(|reason| reason.code == code))
}

fn code(entry: &Entry) -> Option<String> {
    entry.reason.as_ref().map(|reason| reason.code.to_string())
}

/// Returns the action that switches a skill on again, if settings of our own switch it off.
fn enable(glance: &Glance<'_>, entry: &Entry) -> Option<Action> {
    let host = &glance.view.host;
    let (_, rules) = host.switching()?;
    if rules.from.iter().all(|source| source.config.is_none()) {
        return None;
    }
    let workspace = glance.workspace;
    let names_it = |item: &toml::Value| item.get("name").and_then(toml::Value::as_str) == Some(&entry.skill.name);
    let by_path = |item: &toml::Value| item.get("path").is_some();
    let is_about_it = |item: &toml::Value| names_it(item) || by_path(item);
    let rules = workspace.config.values("skills.config").into_iter().rev();
    let last =
        rules.into_iter().find(|setting| setting.value.as_array().is_some_and(|items| items.iter().any(is_about_it)));
    let in_project = match last.map(|setting| setting.origin) {
        Some(Origin::File { path, .. }) => path == workspace.project.join(".openoxide/config.toml"),
        _ => return None,
    };
    let skill = SkillReference::of(&glance.own, entry);
    let host = glance.view.spec.id();
    skill.is_printable().then_some(Action::Enable { host, skill, in_project })
}
