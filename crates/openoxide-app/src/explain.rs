//! Use case: explains why a skill is active or ignored, here and in each other host; or what a code means.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, detect_host};
use openoxide_live::PlaceSettings;
use openoxide_skills::host::{Layout, RootRule};
use openoxide_skills::prelude::{Catalog, Code, Depth, Entry, SkillScope, View, load};
use openoxide_skills::{render::entry_costs, text::TerminalText};
use openoxide_wire::{ExplainAnswer, HostOutcome, OtherLine, SchemaVersion, SkillLine};

use crate::link::{unseen, would_drop};
use crate::{Error, ErrorKind, hosts, off::skills_off, paths, skill_id::find};

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// What every host makes of a skill.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The answer as JSON has it.
    pub answer: ExplainAnswer,
    /// Everything that the host that was asked for finds.
    pub catalog: Catalog,
    /// What other hosts find, and why this host does not; only if it finds nothing.
    pub elsewhere: Option<FoundElsewhere>,
    /// Whether each of the other hosts is here, in the order of the answer.
    pub here: Vec<bool>,
    /// The first agent here that does not look where the skill is, and that a link would help.
    pub link: Option<LinkAdvice>,
}

/// A skill that only other hosts find.
#[derive(Clone, Debug)]
pub struct FoundElsewhere {
    /// The folders that it is in, with their scopes.
    pub folders: Vec<(PathBuf, SkillScope)>,
    /// Why the host that was asked for does not find it.
    pub reason: String,
}

/// A link that would show the skill to another agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkAdvice {
    /// The skill.
    pub skill: String,
    /// The agent.
    pub into: String,
    /// Whether the host that was asked for sees the skill, so that it can be linked from there.
    pub seen_here: bool,
}

/// Returns the page of a code; nothing if the subject is no code at all.
pub fn page(subject: &str) -> Result<Option<&'static str>, Error> {
    match Code::parse(subject) {
        Some(code) => Ok(Some(page_of(code))),
        None if looks_like_code(subject) => {
            Err(Error::other(ErrorKind::NotFound, "unknown-code", format!("there is no code `{subject}`")))
        }
        None => Ok(None),
    }
}

/// Returns the page of a code.
pub fn page_of(code: Code) -> &'static str {
    PAGES.iter().find(|(name, _)| *name == code.as_str()).map_or("", |(_, page)| page)
}

fn looks_like_code(subject: &str) -> bool {
    subject.len() == 5 && subject.starts_with('S') && subject[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// Explains what the host that was asked for makes of a skill, and what every other host does.
pub fn explain(settings: &PlaceSettings, subject: &str) -> Result<Explanation, Error> {
    let workspace = &settings.workspace;
    let mut views = vec![View::clone(&settings.view)];
    views.extend(workspace.views()?.into_iter().filter(|view| view.spec.name != settings.view.spec.name));
    let mut catalogs = load(&views, Depth::Thorough);
    let (own, others) = (&catalogs[0], &catalogs[1..]);
    let found = match find(workspace, own, subject) {
        Ok(found) => found,
        Err(error) if others.iter().all(|catalog| find(workspace, catalog, subject).is_err()) => return Err(error),
        Err(_) => Vec::new(),
    };
    let everywhere = Everywhere::new(workspace, &catalogs, &views, subject);
    let outcomes = others.iter().zip(&views[1..]).map(|(catalog, view)| everywhere.outcome(catalog, view)).collect();
    let answer = answer(&settings.view, own, subject, &found, outcomes);
    let elsewhere = found.is_empty().then(|| everywhere.elsewhere(&settings.view));
    let (here, link) = (views[1..].iter().map(|view| is_here(workspace, view)).collect(), everywhere.link(&found));
    Ok(Explanation { answer, elsewhere, here, link, catalog: catalogs.swap_remove(0) })
}

fn is_here(workspace: &Workspace, view: &View) -> bool {
    hosts::is_here(workspace, &view.spec.id(), is_found(view))
}

fn is_found(view: &View) -> bool {
    !detect_host(&view.host, &view.around).is_empty()
}

fn answer(view: &View, catalog: &Catalog, name: &str, found: &[&Entry], hosts: Vec<HostOutcome>) -> ExplainAnswer {
    let (active, others): (Vec<&Entry>, Vec<&Entry>) = found.iter().partition(|entry| entry.is_active());
    let costs = entry_costs(view, catalog, active.iter().copied());
    ExplainAnswer {
        schema: SchemaVersion::default(),
        host: catalog.host.clone(),
        name: name.to_owned(),
        active: active.iter().zip(&costs.each).map(|(entry, cost)| SkillLine::new(catalog, entry, *cost)).collect(),
        others: others.into_iter().map(|entry| OtherLine::new(catalog, entry)).collect(),
        hosts,
    }
}

/// What all hosts make of a skill, the one that was asked for first.
struct Everywhere<'e> {
    workspace: &'e Workspace,
    subject: &'e str,
    hosts: Vec<(&'e Catalog, &'e View)>,
    /// Each file that some host finds, with the catalog that it is from; what is active somewhere first.
    found: Vec<(&'e Catalog, &'e Entry)>,
}

impl<'e> Everywhere<'e> {
    fn new(workspace: &'e Workspace, catalogs: &'e [Catalog], views: &'e [View], subject: &'e str) -> Everywhere<'e> {
        let of = |catalog: &'e Catalog| {
            let found = find(workspace, catalog, subject).unwrap_or_default();
            found.into_iter().map(move |entry| (catalog, entry))
        };
        let mut found: Vec<(&Catalog, &Entry)> = catalogs.iter().flat_map(of).collect();
        found.sort_by_key(|(_, entry)| !entry.is_active());
        let mut known = BTreeSet::new();
        found.retain(|(_, entry)| known.insert(entry.canonical()));
        Everywhere { workspace, subject, hosts: catalogs.iter().zip(views).collect(), found }
    }

    /// Returns the link that shows the skill to the first agent here that does not look where it is.
    fn link(&self, own: &[&Entry]) -> Option<LinkAdvice> {
        let (source, entry) = match own.iter().find(|entry| entry.is_active()) {
            Some(entry) => (self.hosts.first()?.0, *entry),
            None if own.is_empty() => *self.found.iter().find(|(_, entry)| entry.is_active())?,
            None => return None,
        };
        let misses = |catalog: &Catalog, view: &View| {
            let mut unseen = unseen(self.workspace, source, view, catalog).into_iter();
            unseen.any(|(other, place)| std::ptr::eq(other, entry) && place.is_ok_and(|place| place.is_free()))
                && would_drop(view, entry).is_none()
        };
        // A link is for a program that is found; nobody runs the default host's.
        let (_, view) = self.hosts.iter().find(|(catalog, view)| is_found(view) && misses(catalog, view))?;
        Some(LinkAdvice { skill: entry.skill.name.to_string(), into: view.spec.id(), seen_here: !own.is_empty() })
    }

    fn elsewhere(&self, view: &View) -> FoundElsewhere {
        let folders = self.found.iter().map(|(_, entry)| (entry.dir().to_owned(), entry.skill.scope)).collect();
        FoundElsewhere { folders, reason: self.missing(view) }
    }

    fn outcome(&self, catalog: &Catalog, view: &View) -> HostOutcome {
        let found = find(self.workspace, catalog, self.subject).unwrap_or_default();
        let active: Vec<&&Entry> = found.iter().filter(|entry| entry.is_active()).collect();
        let detail = match active.as_slice() {
            [] => match found.first() {
                Some(entry) => {
                    let reason = entry.reason.as_ref().map_or("", |reason| reason.text.as_str());
                    let reason = paths::abbreviate_home(self.workspace, reason);
                    format!("{}: {}", entry.status.as_str(), TerminalText(&reason))
                }
                None => self.missing(view),
            },
            [one] => paths::short(self.workspace, one.dir()),
            many => format!("{} of them, so the name alone is ambiguous", many.len()),
        };
        HostOutcome {
            host: catalog.host.clone(),
            title: view.host.title.clone(),
            seen: !active.is_empty(),
            detail,
            paths: active.iter().map(|entry| entry.skill.path.to_string_lossy().into_owned()).collect(),
        }
    }

    fn missing(&self, view: &View) -> String {
        if let Some(off) = skills_off(self.workspace, view) {
            return off.to_string();
        }
        let is_file =
            |entry: &Entry| !entry.found().file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        let mut folders =
            self.found.iter().filter(|(_, entry)| is_file(entry)).filter_map(|(_, entry)| entry.found().parent());
        let reads = |folder: &Path| view.roots.iter().any(|root| root.path == folder && !root.scan.layout.is_flat());
        match folders.find(|folder| reads(folder)) {
            Some(folder) => {
                format!("it is a single file, and {} is searched for folders", paths::short(self.workspace, folder))
            }
            None if view.roots.is_empty() => "its settings name no folder to look in".to_owned(),
            None => format!("it looks only in {}", looks_in(self.workspace, view)),
        }
    }
}

/// Names the folders that a host looks in, as people know them.
fn looks_in(workspace: &Workspace, view: &View) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut rules: Vec<&RootRule> = view.host.roots.iter().filter(|rule| rule.listed.is_none()).collect();
    rules.retain(|rule| matches!(rule.layout, None | Some(Layout::Files)));
    // A folder that is searched in both ways is named once.
    rules.sort_by_key(|rule| rule.layout.is_some());
    for rule in rules {
        let walked = rule.path.strip_prefix('{').and_then(|rest| rest.split_once("}/"));
        let name = match walked {
            Some((name, _)) if view.host.vars.contains_key(name) && rule.scope == SkillScope::User => {
                let expanded = view.around.expand(&rule.path, &view.host.vars);
                expanded.map_or_else(String::new, |path| paths::short(workspace, &path))
            }
            Some((_, rest)) => rest.to_owned(),
            None => rule.path.clone(),
        };
        let is_of_project = walked.is_some_and(|(walk, _)| matches!(walk, "cwd" | "project"));
        let is_folder = name.starts_with(['.', '~', '/']) && matches!(rule.scope, SkillScope::Repo | SkillScope::User);
        if (is_folder || is_of_project) && !names.contains(&name) {
            names.push(name);
        }
    }
    TerminalText(&names.join(", ")).to_string()
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::testing::snapshot;

    /// `hosts` says the same of it.
    #[test]
    fn the_default_host_is_here_although_it_has_no_program() {
        let context = TestContext::new();
        context.skill("deploy", "Deploys");
        let snapshot = snapshot(&context);
        let default = snapshot.workspace.default_host();
        let views = snapshot.workspace.views().unwrap();
        let is_here = |name: &str| {
            views.iter().find(|view| view.spec.name == name).map(|view| is_here(&snapshot.workspace, view))
        };
        assert_eq!((is_here(&default), is_here("goose")), (Some(true), Some(false)));
    }

    #[test]
    fn every_code_has_a_page_with_its_title() {
        for code in Code::ALL {
            let heading = format!("# {code}: {}\n", code.title());
            assert!(page_of(*code).starts_with(&heading), "docs/diagnostics/{code}.md must begin with {heading:?}");
        }
        assert_eq!(PAGES.len(), Code::ALL.len());
    }
}
