//! Skills that some agent finds and cannot use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_skills::diagnostic::Fix;
use openoxide_skills::judge::{SkillFinding, judge};
use openoxide_skills::prelude::{Catalog, Entry, SkillScope, Status, View};
use openoxide_wire::SuggestionLine;

use super::{action::Action, glance::Glance};
use crate::{check, link::is_elsewhere, numbers::listed, paths};

/// Folders of skills that some agent cannot use, each with those agents.
#[derive(Default)]
pub(super) struct DroppedSkills<'g> {
    folders: BTreeMap<PathBuf, Vec<&'g View>>,
    /// Folders that are not the user's to change.
    foreign: BTreeSet<PathBuf>,
}

impl<'g> DroppedSkills<'g> {
    /// Adds what an agent finds and cannot use.
    pub(super) fn add_invalid(&mut self, view: &'g View, catalog: &Catalog) {
        for entry in &catalog.others {
            let is_flat = catalog.roots[entry.root].root.scan.layout.is_flat();
            if entry.status == Status::Invalid && !is_elsewhere(entry) && !is_flat {
                self.add(entry, view);
            }
        }
    }

    pub(super) fn add(&mut self, entry: &Entry, view: &'g View) {
        // The file may be a link; the folder is where it has its name.
        let folder = entry.found().parent().unwrap_or(Path::new("/"));
        let folder = view.around.boundary_at(folder).resolve(folder).unwrap_or_else(|| folder.to_owned());
        if !matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User) {
            self.foreign.insert(folder.clone());
        }
        let views = self.folders.entry(folder).or_default();
        if !views.iter().any(|known| std::ptr::eq(*known, view)) {
            views.push(view);
        }
    }

    pub(super) fn suggest(&self, glance: &Glance<'_>) -> Vec<SuggestionLine> {
        let suggest =
            |(folder, views): (&PathBuf, &Vec<&View>)| suggest(glance, folder, views, self.foreign.contains(folder));
        self.folders.iter().map(suggest).collect()
    }
}

fn suggest(glance: &Glance<'_>, folder: &Path, views: &[&View], is_foreign: bool) -> SuggestionLine {
    let boundary = views.first().map(|view| view.around.boundary_at(folder)).unwrap_or_default();
    let judged = judge(folder, &views.iter().map(|view| &view.host).collect::<Vec<_>>(), &boundary);
    let dropping = || judged.findings.iter().filter(|finding| !finding.dropped_by.is_empty());
    let needs_rename = |finding: &SkillFinding| finding.diagnostic.fix.as_ref().is_some_and(Fix::is_rename);
    // A rename may be refused; then it is not suggested.
    let may_rename = dropping().any(needs_rename) && check::would_rename(glance.workspace, folder);
    let is_fixable = |finding: &SkillFinding| {
        let is_possible = !needs_rename(finding) || may_rename;
        finding.diagnostic.fix.is_some() && is_possible && !finding.path.is_symlink()
    };
    let finding = dropping().find(|finding| is_fixable(finding)).or_else(|| dropping().next());
    let titles: Vec<&str> = views.iter().map(|view| view.host.title.as_str()).collect();
    let verb = if titles.len() == 1 { "drops" } else { "drop" };
    let message = match finding.map(|finding| &finding.diagnostic) {
        Some(diagnostic) => &diagnostic.message,
        None => "it cannot be used",
    };
    let fix = finding.is_some_and(is_fixable) && !is_foreign && paths::is_printable(folder);
    let text = format!("{message}; {} {verb} it", listed(&titles));
    SuggestionLine {
        code: finding.map(|finding| finding.diagnostic.code.to_string()),
        fixes: fix && dropping().all(is_fixable),
        agents: views.iter().map(|view| view.spec.id()).collect(),
        ..glance.suggest(
            &judged.name,
            text,
            &Action::Check { folder: folder.to_owned(), fix, rename: fix && may_rename },
        )
    }
}
