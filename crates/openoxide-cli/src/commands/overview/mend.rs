//! What is worth mending, worst first, each with the one command that does it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_config::{ConfigProblem, Workspace};
use openoxide_skills::catalog::{Catalog, Entry, Status, View};
use openoxide_skills::diagnostic::Code;
use openoxide_skills::host::Host;
use openoxide_skills::judge::{Judgment, SkillFinding, judge};
use openoxide_skills::settings::Origin;
use openoxide_skills::skill::SkillScope;
use openoxide_wire::SuggestionLine;

use super::{Agent, Glance};
use crate::args::Common;
use crate::commands::link::{Step, is_elsewhere, unseen, would_drop};
use crate::commands::trust::holds_home;
use crate::error::Told;
use crate::{paths, typed};

/// More skills than this that an agent does not see are one line, not one each.
const SINGLE: usize = 2;

/// Returns what is worth mending, worst first.
pub(super) fn worst(glance: &Glance) -> Vec<SuggestionLine> {
    let mut dropped = Dropped::default();
    for agent in &glance.agents {
        dropped.found(&agent.view, &agent.catalog);
    }
    if glance.agents.is_empty() {
        dropped.found(&glance.session.view, &glance.own);
    }
    let unseen: Vec<SuggestionLine> =
        glance.agents.iter().flat_map(|agent| unseen_lines(glance, agent, &mut dropped)).collect();
    let mut lines = dropped.lines(glance);
    lines.extend(untrusted(glance));
    lines.extend(unseen);
    lines.extend(glance.agents.iter().filter_map(|agent| crowded(glance, agent)));
    lines.extend(shadowed(glance));
    lines.extend(switched_off(glance));
    // What is mended at once comes first.
    lines.sort_by_key(|line| !line.fixes);
    let misread = glance.agents.iter().flat_map(|agent| misread(glance, agent));
    misread.chain(lines).collect()
}

/// Folders of skills that some agent cannot use, each with those agents.
#[derive(Default)]
struct Dropped<'g> {
    folders: BTreeMap<PathBuf, Vec<&'g View>>,
    /// Folders that are not the user's to change.
    foreign: BTreeSet<PathBuf>,
}

impl<'g> Dropped<'g> {
    /// Adds what an agent finds and cannot use.
    fn found(&mut self, view: &'g View, catalog: &Catalog) {
        for entry in &catalog.others {
            let is_flat = catalog.roots[entry.root].root.scan.layout.is_flat();
            if entry.status == Status::Invalid && !is_elsewhere(entry) && !is_flat {
                self.add(entry, view);
            }
        }
    }

    fn add(&mut self, entry: &Entry, view: &'g View) {
        // A file may be a link; the folder is where it is called by its name.
        let folder = entry.found().parent().unwrap_or(Path::new("/"));
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        if !matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User) {
            self.foreign.insert(folder.clone());
        }
        let views = self.folders.entry(folder).or_default();
        if !views.iter().any(|known| std::ptr::eq(*known, view)) {
            views.push(view);
        }
    }

    fn lines(&self, glance: &Glance) -> Vec<SuggestionLine> {
        let line = |(folder, views): (&PathBuf, &Vec<&View>)| {
            let hosts: Vec<&Host> = views.iter().map(|view| &view.host).collect();
            dropped_line(glance, folder, views, &judge(folder, &hosts), self.foreign.contains(folder))
        };
        self.folders.iter().map(line).collect()
    }
}

fn dropped_line(glance: &Glance, folder: &Path, views: &[&View], judged: &Judgment, foreign: bool) -> SuggestionLine {
    let dropping = || judged.findings.iter().filter(|finding| !finding.dropped_by.is_empty());
    let is_fixable = |finding: &SkillFinding| finding.diagnostic.fix.is_some() && !finding.path.is_symlink();
    let finding = dropping().find(|finding| is_fixable(finding)).or_else(|| dropping().next());
    let titles: Vec<&str> = views.iter().map(|view| view.host.title.as_str()).collect();
    let verb = if titles.len() == 1 { "drops" } else { "drop" };
    let message = match finding.map(|finding| &finding.diagnostic) {
        Some(diagnostic) => &diagnostic.message,
        None => "it cannot be used",
    };
    let path = typed::path(&glance.session.workspace, folder);
    let fixes = finding.is_some_and(is_fixable) && !foreign && path.is_some();
    let word = if fixes { "check --fix" } else { "check" };
    // Whoever looks at one agent only still wants a fix that serves all.
    let command = typed::command(&typed::for_all(&glance.common), word, path.as_deref(), "");
    SuggestionLine {
        subject: judged.name.clone(),
        text: format!("{message}; {} {verb} it", listed(&titles)),
        code: finding.map(|finding| finding.diagnostic.code.to_string()),
        command,
        fixes: fixes && dropping().all(is_fixable),
        agents: views.iter().map(|view| view.spec.id()).collect(),
    }
}

/// Skills of the project that would count if it were trusted.
fn untrusted(glance: &Glance) -> Option<SuggestionLine> {
    let mut entries = glance.own.others.iter().filter(|entry| entry.status == Status::Untrusted);
    let first = entries.next()?;
    let more = entries.count();
    let (subject, text) = match more {
        0 => (first.skill.name.to_string(), "the project is not trusted, so its skill does not replace yours"),
        _ => (format!("{} skills", more + 1), "the project is not trusted, so its skills do not replace yours"),
    };
    Some(SuggestionLine {
        subject,
        text: text.to_owned(),
        code: first.reason.as_ref().map(|reason| reason.code.to_string()),
        command: typed::command(&typed::for_all(&glance.common), "trust", None, ""),
        fixes: !holds_home(&glance.session.workspace, &glance.session.workspace.project),
        agents: Vec::new(),
    })
}

/// Skills that an agent does not see because of where they are: those that count here, then those of other agents.
fn unseen_lines<'g>(glance: &'g Glance, agent: &'g Agent, dropped: &mut Dropped<'g>) -> Vec<SuggestionLine> {
    let looked_at = glance.own.entries().filter(|entry| !is_elsewhere(entry));
    let mut known: BTreeSet<&Path> = looked_at.map(Entry::canonical).collect();
    let mut names: BTreeSet<&str> = glance.own.skills.iter().map(|entry| entry.skill.name.as_ref()).collect();
    let all = unseen(&glance.session.workspace, &glance.own, &agent.view, &agent.catalog);
    let mut lines = Missed { glance, agent, source: &glance.own, common: glance.common.clone() }.lines(all, dropped);
    for other in glance.agents.iter().filter(|other| !std::ptr::eq(*other, agent)) {
        let mut missed = unseen(&glance.session.workspace, &other.catalog, &agent.view, &agent.catalog);
        // A name that something else has, here or in an agent before, would only make trouble.
        missed.retain(|(entry, _)| known.insert(entry.canonical()) && names.insert(&entry.skill.name));
        let common = Common { host: Some(other.view.spec.id()), ..glance.common.clone() };
        lines.extend(Missed { glance, agent, source: &other.catalog, common }.lines(missed, dropped));
    }
    lines
}

/// Skills of one catalog that an agent does not see.
struct Missed<'g> {
    glance: &'g Glance,
    agent: &'g Agent,
    source: &'g Catalog,
    /// What makes a command look at that catalog.
    common: Common,
}

impl<'g> Missed<'g> {
    fn lines(&self, missed: Vec<(&'g Entry, Result<Step, Told>)>, dropped: &mut Dropped<'g>) -> Vec<SuggestionLine> {
        let (workspace, view) = (&self.glance.session.workspace, &self.agent.view);
        let title = &view.host.title;
        let mut lines = Vec::new();
        let mut free = Vec::new();
        for (entry, step) in missed {
            match step.and_then(|step| if step.is_free() { Ok(()) } else { Err(step.taken(workspace)) }) {
                // A link to what the agent would drop mends nothing.
                Ok(()) if would_drop(view, entry).is_some() => dropped.add(entry, view),
                Ok(()) => free.push(entry),
                Err(told) => {
                    let text = format!("{title} does not see it, and it cannot be linked: {told}");
                    lines.push(self.line(&entry.skill.name, text, about(self.glance, "explain", entry), false));
                }
            }
        }
        if free.len() > SINGLE {
            let text = format!("{title} does not look where they are");
            let line = self.line(&format!("{} skills", free.len()), text, self.link("link --all", None), true);
            lines.insert(0, line);
            return lines;
        }
        for entry in free {
            let root = paths::short(workspace, &self.source.roots[entry.root].root.path);
            let subject = typed::skill(workspace, self.source, entry);
            let verb = if subject.is_some() { "link" } else { "link --all" };
            let command = self.link(verb, subject.as_deref());
            lines.push(self.line(&entry.skill.name, format!("{title} does not read {root}"), command, true));
        }
        lines
    }

    fn link(&self, verb: &str, subject: Option<&str>) -> String {
        typed::command(&self.common, verb, subject, &format!("--into {}", self.agent.view.spec.id()))
    }

    fn line(&self, subject: &str, text: String, command: String, mends: bool) -> SuggestionLine {
        let agents = vec![self.agent.view.spec.id()];
        SuggestionLine { subject: subject.to_owned(), text, code: None, command, fixes: mends, agents }
    }
}

/// Settings of an agent that cannot be read, or that name what is not there.
fn misread(glance: &Glance, agent: &Agent) -> Vec<SuggestionLine> {
    let line = |problem: &ConfigProblem| SuggestionLine {
        subject: agent.view.host.title.clone(),
        text: problem_text(&glance.session.workspace, problem),
        code: Some(problem.diagnostic.code.to_string()),
        command: for_host(glance, "roots", agent),
        fixes: false,
        agents: vec![agent.view.spec.id()],
    };
    agent.problems.iter().map(line).collect()
}

/// Writes a command about an agent.
fn for_host(glance: &Glance, verb: &str, agent: &Agent) -> String {
    let common = Common { host: Some(agent.view.spec.id()), ..glance.common.clone() };
    typed::command(&common, verb, None, "")
}

fn problem_text(workspace: &Workspace, problem: &ConfigProblem) -> String {
    let message = &problem.diagnostic.message;
    match &problem.path {
        Some(path) => format!("{}: {message}", paths::short(workspace, path)),
        None => message.clone(),
    }
}

/// A catalog that is too large for its budget.
fn crowded(glance: &Glance, agent: &Agent) -> Option<SuggestionLine> {
    let shown = &agent.prompt.as_ref()?.shown;
    let lost = shown.iter().filter(|shown| shown.detail == openoxide_skills::render::DetailLevel::LeftOut).count();
    let host = agent.view.spec.id();
    (lost > 0).then(|| SuggestionLine {
        subject: agent.view.host.title.clone(),
        text: format!("its catalog is full: {lost} of {} skills are not shown to the model", shown.len()),
        code: None,
        command: for_host(glance, "prompt", agent),
        fixes: false,
        agents: vec![host.clone()],
    })
}

/// Skills whose name another one has.
fn shadowed(glance: &Glance) -> Vec<SuggestionLine> {
    let by_name = |entry: &&Entry| entry.reason.as_ref().is_some_and(|reason| reason.code == Code::ShadowedName);
    let mut names = BTreeSet::new();
    let entries = glance.own.others.iter().filter(by_name).filter(|entry| names.insert(&entry.skill.name));
    let line = |entry: &Entry| {
        let place = paths::short(&glance.session.workspace, entry.dir());
        SuggestionLine {
            subject: entry.skill.name.to_string(),
            text: format!("{place} is shadowed by another skill of this name"),
            code: entry.reason.as_ref().map(|reason| reason.code.to_string()),
            command: about(glance, "explain", entry),
            fixes: false,
            agents: Vec::new(),
        }
    };
    entries.map(line).collect()
}

/// Skills that somebody switched off.
fn switched_off(glance: &Glance) -> Vec<SuggestionLine> {
    let off = |entry: &&Entry| entry.reason.as_ref().is_some_and(|reason| reason.code == Code::DisabledBySetting);
    let line = |entry: &Entry| {
        let switch = enabling(glance, entry);
        SuggestionLine {
            subject: entry.skill.name.to_string(),
            text: paths::abbreviate_home(
                &glance.session.workspace,
                entry.reason.as_ref().map_or("", |reason| &reason.text),
            ),
            code: Some(Code::DisabledBySetting.to_string()),
            fixes: switch.is_some(),
            command: switch.unwrap_or_else(|| about(glance, "explain", entry)),
            agents: Vec::new(),
        }
    };
    glance.own.others.iter().filter(off).map(line).collect()
}

/// Returns the command that switches a skill on again, if there is one: only settings of our own are ever written.
fn enabling(glance: &Glance, entry: &Entry) -> Option<String> {
    let host = &glance.session.view.host;
    let rules = host.filter.rules.as_ref().and_then(|name| host.settings.get(name))?;
    rules.from.iter().any(|source| source.config.is_some()).then_some(())?;
    let workspace = &glance.session.workspace;
    let names_it = |item: &toml::Value| item.get("name").and_then(toml::Value::as_str) == Some(&entry.skill.name);
    let by_path = |item: &toml::Value| item.get("path").is_some();
    let is_about_it = |item: &toml::Value| names_it(item) || by_path(item);
    let rules = workspace.config.values("skills.config").into_iter().rev();
    let last =
        rules.into_iter().find(|setting| setting.value.as_array().is_some_and(|items| items.iter().any(is_about_it)));
    let options = match last.map(|setting| setting.origin) {
        Some(Origin::File { path, .. }) if path == workspace.project.join(".openoxide/config.toml") => "--in-project",
        Some(Origin::File { .. }) => "",
        _ => return None,
    };
    Some(typed::command(&glance.common, "enable", Some(&subject(glance, entry)?), options))
}

/// Writes a command about one skill; where nobody could type its name, the one about all.
fn about(glance: &Glance, verb: &str, entry: &Entry) -> String {
    match subject(glance, entry) {
        Some(subject) => typed::command(&glance.common, verb, Some(&subject), ""),
        None => typed::command(&glance.common, "list --all", None, ""),
    }
}

/// Writes what means a skill.
fn subject(glance: &Glance, entry: &Entry) -> Option<String> {
    typed::skill(&glance.session.workspace, &glance.own, entry)
}

/// Writes a list: "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
