//! Collects what is worth fixing, worst first, each with the one action that fixes it or shows more.

use std::collections::BTreeSet;

use openoxide_config::{ConfigProblem, Workspace};
use openoxide_skills::catalog::{Entry, Status};
use openoxide_skills::diagnostic::Code;
use openoxide_skills::render::DetailLevel;
use openoxide_skills::settings::Origin;

use super::advice::{Action, Advice};
use super::dropped::DroppedSkills;
use super::glance::{Agent, Glance};
use super::unseen::unseen_by;
use crate::find::SkillReference;
use crate::paths;
use crate::trust::holds_home;

/// Returns what is worth fixing, worst first.
pub(super) fn collect(glance: &Glance<'_>) -> Vec<Advice> {
    let mut dropped = DroppedSkills::default();
    for agent in &glance.agents {
        dropped.add_invalid(&agent.view, &agent.catalog);
    }
    if glance.agents.is_empty() {
        dropped.add_invalid(glance.view, &glance.own);
    }
    let unseen: Vec<Advice> = glance.agents.iter().flat_map(|agent| unseen_by(glance, agent, &mut dropped)).collect();
    let mut advice = dropped.advice();
    advice.extend(untrusted(glance));
    advice.extend(unseen);
    advice.extend(glance.agents.iter().filter_map(crowded));
    advice.extend(shadowed(glance));
    advice.extend(switched_off(glance));
    // What one action fixes comes first.
    advice.sort_by_key(|advice| !advice.fixes);
    let misread = glance.agents.iter().flat_map(|agent| misread(glance.workspace, agent));
    misread.chain(advice).collect()
}

/// Skills of the project that would be active if it were trusted.
fn untrusted(glance: &Glance<'_>) -> Option<Advice> {
    let mut entries = glance.own.others.iter().filter(|entry| entry.status == Status::Untrusted);
    let first = entries.next()?;
    let more = entries.count();
    let (subject, text) = match more {
        0 => (first.skill.name.to_string(), "the project is not trusted, so its skill does not replace yours"),
        _ => (format!("{} skills", more + 1), "the project is not trusted, so its skills do not replace yours"),
    };
    Some(Advice {
        subject,
        text: text.to_owned(),
        code: first.reason.as_ref().map(|reason| reason.code),
        action: Action::Trust,
        fixes: !holds_home(glance.workspace, &glance.workspace.project),
        agents: Vec::new(),
    })
}

/// Settings of an agent that cannot be read, or that name what is not there.
fn misread(workspace: &Workspace, agent: &Agent) -> Vec<Advice> {
    let host = agent.view.spec.id();
    let advice = |problem: &ConfigProblem| Advice {
        subject: agent.view.host.title.clone(),
        text: problem_text(workspace, problem),
        code: Some(problem.diagnostic.code),
        action: Action::Roots { host: host.clone() },
        fixes: false,
        agents: vec![host.clone()],
    };
    agent.problems.iter().map(advice).collect()
}

fn problem_text(workspace: &Workspace, problem: &ConfigProblem) -> String {
    let message = &problem.diagnostic.message;
    match &problem.path {
        Some(path) => format!("{}: {message}", paths::short(workspace, path)),
        None => message.clone(),
    }
}

/// A catalog that is too large for its budget.
fn crowded(agent: &Agent) -> Option<Advice> {
    let shown = &agent.prompt.as_ref()?.shown;
    let lost = shown.iter().filter(|shown| shown.detail == DetailLevel::LeftOut).count();
    let host = agent.view.spec.id();
    (lost > 0).then(|| Advice {
        subject: agent.view.host.title.clone(),
        text: format!("its catalog is full: {lost} of {} skills are not shown to the model", shown.len()),
        code: None,
        action: Action::Prompt { host: host.clone() },
        fixes: false,
        agents: vec![host],
    })
}

/// Skills whose name another one has.
fn shadowed(glance: &Glance<'_>) -> Vec<Advice> {
    let by_name = |entry: &&Entry| entry.reason.as_ref().is_some_and(|reason| reason.code == Code::ShadowedName);
    let mut names = BTreeSet::new();
    let entries = glance.own.others.iter().filter(by_name).filter(|entry| names.insert(&entry.skill.name));
    let advice = |entry: &Entry| {
        let place = paths::short(glance.workspace, entry.dir());
        Advice {
            subject: entry.skill.name.to_string(),
            text: format!("{place} is shadowed by another skill of this name"),
            code: entry.reason.as_ref().map(|reason| reason.code),
            action: glance.explain(entry),
            fixes: false,
            agents: Vec::new(),
        }
    };
    entries.map(advice).collect()
}

/// Skills that a setting switches off.
fn switched_off(glance: &Glance<'_>) -> Vec<Advice> {
    let off = |entry: &&Entry| entry.reason.as_ref().is_some_and(|reason| reason.code == Code::DisabledBySetting);
    let advice = |entry: &Entry| {
        let enable = enable(glance, entry);
        let reason = entry.reason.as_ref().map_or("", |reason| &reason.text);
        Advice {
            subject: entry.skill.name.to_string(),
            text: paths::abbreviate_home(glance.workspace, reason),
            code: Some(Code::DisabledBySetting),
            fixes: enable.is_some(),
            action: enable.unwrap_or_else(|| glance.explain(entry)),
            agents: Vec::new(),
        }
    };
    glance.own.others.iter().filter(off).map(advice).collect()
}

/// Returns the action that switches a skill on again, if there is one: only settings of our own are ever written.
fn enable(glance: &Glance<'_>, entry: &Entry) -> Option<Action> {
    let host = &glance.view.host;
    let (_, rules) = host.switching()?;
    rules.from.iter().any(|source| source.config.is_some()).then_some(())?;
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
    skill.is_printable().then_some(Action::Enable { skill, in_project })
}
