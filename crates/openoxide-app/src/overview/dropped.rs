//! Skills that some agent finds and cannot use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_skills::diagnostic::Fix;
use openoxide_skills::judge::{Judgment, SkillFinding, judge};
use openoxide_skills::prelude::{Entry, SkillScope, Status};
use openoxide_wire::SuggestionLine;

use super::action::Action;
use super::glance::{Agent, Glance};
use crate::trial::{Change, Harm, Trial};
use crate::{check, link::is_elsewhere, numbers::listed, paths};

/// Folders of skills that some agent cannot use, each with those agents.
#[derive(Default)]
pub(super) struct DroppedSkills<'g> {
    folders: BTreeMap<PathBuf, Vec<(&'g Agent, &'g Entry)>>,
    /// Folders that are not the user's to change.
    foreign: BTreeSet<PathBuf>,
}

impl<'g> DroppedSkills<'g> {
    /// Adds what an agent finds and cannot use.
    pub(super) fn add_invalid(&mut self, agent: &'g Agent) {
        for entry in &agent.catalog.others {
            let is_flat = agent.catalog.roots[entry.root].root.scan.layout.is_flat();
            if entry.status == Status::Invalid && !is_elsewhere(entry) && !is_flat {
                self.add(entry, agent);
            }
        }
    }

    pub(super) fn add(&mut self, entry: &'g Entry, agent: &'g Agent) {
        // The file may be a link; the folder is where it has its name.
        let folder = entry.found().parent().unwrap_or(Path::new("/"));
        let folder = agent.view.around.boundary_at(folder).resolve(folder).unwrap_or_else(|| folder.to_owned());
        if !matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User) {
            self.foreign.insert(folder.clone());
        }
        let found = self.folders.entry(folder).or_default();
        if !found.iter().any(|(known, _)| std::ptr::eq(*known, agent)) {
            found.push((agent, entry));
        }
    }

    /// Suggests to fix each folder; a fix is suggested only if no agent is worse off when all of them are made.
    pub(super) fn suggest<'s>(&'s self, glance: &Glance<'_>, trial: &Trial<'_>) -> Vec<SuggestionLine> {
        let dropped = |(folder, found): (&'s PathBuf, &'s Vec<(&'g Agent, &'g Entry)>)| {
            let is_foreign = self.foreign.contains(folder);
            Dropped::new(glance, folder, found, is_foreign)
        };
        let all: Vec<Dropped<'_>> = self.folders.iter().map(dropped).collect();
        let fixes: Vec<Vec<Change>> = all.iter().map(|dropped| dropped.changes(glance)).collect();
        let harms = trial.accept_each(&fixes);
        all.iter().zip(&harms).map(|(dropped, harm)| dropped.suggest(glance, harm.as_ref().err())).collect()
    }
}

/// A folder that some agents drop, and what is wrong with it.
struct Dropped<'d> {
    folder: &'d Path,
    found: &'d [(&'d Agent, &'d Entry)],
    judged: Judgment,
    may_rename: bool,
    is_foreign: bool,
}

impl<'d> Dropped<'d> {
    fn new(
        glance: &Glance<'_>,
        folder: &'d Path,
        found: &'d [(&'d Agent, &'d Entry)],
        is_foreign: bool,
    ) -> Dropped<'d> {
        let boundary = found.first().map(|(agent, _)| agent.view.around.boundary_at(folder)).unwrap_or_default();
        let hosts: Vec<_> = found.iter().map(|(agent, _)| &agent.view.host).collect();
        let judged = judge(folder, &hosts, &boundary);
        let mut dropped = Dropped { folder, found, judged, may_rename: false, is_foreign };
        // A rename may be refused; then it is not suggested.
        dropped.may_rename = dropped.findings().any(needs_rename) && check::would_rename(glance.workspace, folder);
        dropped
    }

    /// Returns the findings that an agent drops the skill for.
    fn findings(&self) -> impl Iterator<Item = &SkillFinding> {
        self.judged.findings.iter().filter(|finding| !finding.dropped_by.is_empty())
    }

    fn is_fixable(&self, finding: &SkillFinding) -> bool {
        let is_possible = !needs_rename(finding) || self.may_rename;
        finding.diagnostic.fix.is_some() && is_possible && !finding.path.is_symlink()
    }

    /// Returns the finding that is named: the first that can be fixed, or else the first.
    fn finding(&self) -> Option<&SkillFinding> {
        self.findings().find(|finding| self.is_fixable(finding)).or_else(|| self.findings().next())
    }

    fn can_fix(&self) -> bool {
        self.finding().is_some_and(|finding| self.is_fixable(finding))
            && !self.is_foreign
            && paths::is_printable(self.folder)
    }

    /// Returns what the fix would do: each of the agents uses the skill.
    fn changes(&self, glance: &Glance<'_>) -> Vec<Change> {
        if !self.can_fix() || !self.findings().all(|finding| self.is_fixable(finding)) {
            return Vec::new();
        }
        let finds =
            |(agent, entry): &&(&Agent, &Entry)| agent.catalog.others.iter().any(|other| std::ptr::eq(other, *entry));
        // An agent that does not look there uses nothing after a fix either.
        let found = self.found.iter().filter(finds);
        found.map(|(agent, entry)| Change::activate(agent.number, entry, glance.described(entry))).collect()
    }

    fn suggest(&self, glance: &Glance<'_>, harm: Option<&Harm>) -> SuggestionLine {
        let titles: Vec<&str> = self.found.iter().map(|(agent, _)| agent.view.host.title.as_str()).collect();
        let verb = if titles.len() == 1 { "drops" } else { "drop" };
        let message = match self.finding().map(|finding| &finding.diagnostic) {
            Some(diagnostic) => &diagnostic.message,
            None => "it cannot be used",
        };
        let harm_text = match harm {
            Some(Harm::Overflow(title)) => format!(" (with it, the catalog of {title} would be too full)"),
            Some(Harm::Clash(title)) => format!(" (fixed, its name would clash with another in {title})"),
            Some(Harm::Ignored(title)) => format!(" (fixed, {title} would find it too, and ignore it)"),
            Some(Harm::NoUse | Harm::Untried) | None => String::new(),
        };
        let fix = self.can_fix() && harm.is_none();
        let name = &self.judged.name;
        let text = format!("{name}: {} {verb} it, because {message}{harm_text}", listed(&titles));
        let action = Action::Check { folder: self.folder.to_owned(), fix, rename: fix && self.may_rename };
        SuggestionLine {
            code: self.finding().map(|finding| finding.diagnostic.code.to_string()),
            fixes: fix && self.findings().all(|finding| self.is_fixable(finding)),
            agents: self.found.iter().map(|(agent, _)| agent.view.spec.id()).collect(),
            cost: self.found.len(),
            ..glance.suggest(name, text, &action)
        }
    }
}

fn needs_rename(finding: &SkillFinding) -> bool {
    finding.diagnostic.fix.as_ref().is_some_and(Fix::is_rename)
}
