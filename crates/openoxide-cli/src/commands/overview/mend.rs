//! What is worth mending, worst first, each with the one command that does it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_skills::{Code, Entry, Host, Judged, Layout, SkillScope, Standing, judge};
use openoxide_wire::MendLine;

use super::{Agent, Glance};
use crate::commands::link::has_place;
use crate::paths;

/// More skills than this that an agent does not see are one line, not one each.
const SINGLE: usize = 2;

/// Returns what is worth mending, worst first.
pub(super) fn worst(glance: &Glance) -> Vec<MendLine> {
    let mut lines = broken(glance);
    lines.extend(untrusted(glance));
    lines.extend(glance.agents.iter().flat_map(|agent| unseen(glance, agent)));
    lines.extend(glance.agents.iter().filter_map(crowded));
    lines.extend(shadowed(glance));
    lines.extend(switched_off(glance));
    lines
}

/// Tells whether an agent does not look where a file is, so that the file itself may be fine.
pub(super) fn is_elsewhere(entry: &Entry) -> bool {
    entry.reason.as_ref().is_some_and(|reason| reason.code.is_about_place())
}

/// Skills that an agent finds and cannot use.
fn broken(glance: &Glance) -> Vec<MendLine> {
    let mut dirs: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    for (number, agent) in glance.agents.iter().enumerate() {
        let is_folder = |entry: &&Entry| agent.catalog.roots[entry.root].root.scan.layout != Layout::Flat;
        let invalid = agent.catalog.others.iter().filter(|entry| entry.standing == Standing::Invalid);
        for entry in invalid.filter(|entry| !is_elsewhere(entry)).filter(is_folder) {
            let dir = entry.canonical().parent().unwrap_or(Path::new("/"));
            dirs.entry(dir.to_owned()).or_default().insert(number);
        }
    }
    let line = |(dir, numbers): (PathBuf, BTreeSet<usize>)| {
        let agents: Vec<&Agent> = numbers.into_iter().map(|number| &glance.agents[number]).collect();
        let hosts: Vec<&Host> = agents.iter().map(|agent| &agent.view.host).collect();
        broken_line(glance, &dir, &agents, &judge(&dir, &hosts))
    };
    let mut lines: Vec<MendLine> = dirs.into_iter().map(line).collect();
    // What is mended at once comes first.
    lines.sort_by_key(|line| !line.mends);
    lines
}

fn broken_line(glance: &Glance, dir: &Path, agents: &[&Agent], judged: &Judged) -> MendLine {
    let dropping = || judged.findings.iter().filter(|finding| !finding.dropped_by.is_empty());
    let finding = dropping().find(|finding| finding.diagnostic.fix.is_some()).or_else(|| dropping().next());
    let titles: Vec<&str> = agents.iter().map(|agent| agent.view.host.title.as_str()).collect();
    let verb = if titles.len() == 1 { "drops" } else { "drop" };
    let message = finding.map_or("it cannot be used", |finding| finding.diagnostic.message.as_str());
    let mends = finding.is_some_and(|finding| finding.diagnostic.fix.is_some());
    let word = if mends { "check --fix" } else { "check" };
    MendLine {
        subject: judged.name.clone(),
        text: format!("{message}; {} {verb} it", listed(&titles)),
        code: finding.map(|finding| finding.diagnostic.code.to_string()),
        command: format!("openoxide {word} {}", typed(&paths::short(&glance.session.workspace, dir))),
        mends,
        agents: agents.iter().map(|agent| agent.view.spec.id()).collect(),
    }
}

/// Skills of the project that would count if it were trusted.
fn untrusted(glance: &Glance) -> Vec<MendLine> {
    let entries = glance.own.others.iter().filter(|entry| entry.standing == Standing::Untrusted);
    let line = |entry: &Entry| MendLine {
        subject: entry.skill.name.clone(),
        text: "the project is not trusted, so its skill does not replace yours".to_owned(),
        code: entry.reason.as_ref().map(|reason| reason.code.to_string()),
        command: "openoxide trust".to_owned(),
        mends: true,
        agents: Vec::new(),
    };
    entries.map(line).collect()
}

/// Skills that an agent does not see because of where they are.
fn unseen(glance: &Glance, agent: &Agent) -> Vec<MendLine> {
    let known: BTreeSet<&Path> = agent.catalog.entries().map(Entry::canonical).collect();
    let names: BTreeSet<&str> = agent.catalog.skills.iter().map(|entry| entry.skill.name.as_str()).collect();
    let missing = glance.own.skills.iter().filter(|entry| {
        matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User)
            && !known.contains(entry.canonical())
            && !names.contains(entry.skill.name.as_str())
            && glance.own.roots[entry.root].root.scan.layout != Layout::Flat
            && has_place(&glance.session.workspace, &agent.view, entry)
    });
    let missing: Vec<&Entry> = missing.collect();
    let host = agent.view.spec.id();
    let title = &agent.view.host.title;
    let line = |subject: String, text: String, command: String| MendLine {
        subject,
        text,
        code: None,
        command,
        mends: true,
        agents: vec![host.clone()],
    };
    if missing.len() > SINGLE {
        let text = format!("{title} does not look where they are");
        let subject = format!("{} skills", missing.len());
        return vec![line(subject, text, format!("openoxide link --all --into {host}"))];
    }
    let each = |entry: &&Entry| {
        let root = paths::short(&glance.session.workspace, &glance.own.roots[entry.root].root.path);
        let command = format!("openoxide link {} --into {host}", typed(&entry.skill.name));
        line(entry.skill.name.clone(), format!("{title} does not read {root}"), command)
    };
    missing.iter().map(each).collect()
}

/// A catalog that is too large for its budget.
fn crowded(agent: &Agent) -> Option<MendLine> {
    let lost = agent.prompt.shown.iter().filter(|shown| shown.how == openoxide_skills::How::LeftOut).count();
    let host = agent.view.spec.id();
    (lost > 0).then(|| MendLine {
        subject: agent.view.host.title.clone(),
        text: format!("its catalog is full: {lost} of {} skills are not shown to the model", agent.prompt.shown.len()),
        code: None,
        command: format!("openoxide prompt --host {host}"),
        mends: false,
        agents: vec![host.clone()],
    })
}

/// Skills whose name another one has.
fn shadowed(glance: &Glance) -> Vec<MendLine> {
    let by_name = |entry: &&Entry| entry.reason.as_ref().is_some_and(|reason| reason.code == Code::ShadowedName);
    let mut names = BTreeSet::new();
    let entries = glance.own.others.iter().filter(by_name).filter(|entry| names.insert(&entry.skill.name));
    let line = |entry: &Entry| {
        let place = paths::short(&glance.session.workspace, entry.dir());
        MendLine {
            subject: entry.skill.name.clone(),
            text: format!("{place} is shadowed by another skill of this name"),
            code: entry.reason.as_ref().map(|reason| reason.code.to_string()),
            command: format!("openoxide explain {}", typed(&entry.skill.name)),
            mends: false,
            agents: Vec::new(),
        }
    };
    entries.map(line).collect()
}

/// Skills that somebody switched off.
fn switched_off(glance: &Glance) -> Vec<MendLine> {
    let off = |entry: &&Entry| entry.reason.as_ref().is_some_and(|reason| reason.code == Code::DisabledBySetting);
    let line = |entry: &Entry| MendLine {
        subject: entry.skill.name.clone(),
        text: paths::homely(&glance.session.workspace, entry.reason.as_ref().map_or("", |reason| &reason.text)),
        code: Some(Code::DisabledBySetting.to_string()),
        command: format!("openoxide enable {}", typed(&entry.skill.name)),
        mends: true,
        agents: Vec::new(),
    };
    glance.own.others.iter().filter(off).map(line).collect()
}

/// Writes a word as it has to be typed in a shell.
fn typed(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./~:@+,=".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Writes a list: "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::typed;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(typed(".agents/skills/a-b"), ".agents/skills/a-b");
        assert_eq!(typed("it's two"), r"'it'\''s two'");
        assert_eq!(typed(""), "''");
    }
}
