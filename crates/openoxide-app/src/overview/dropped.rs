//! Skills that some agent finds and cannot use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_skills::catalog::{Catalog, Entry, Status, View};
use openoxide_skills::host::Host;
use openoxide_skills::judge::{Judgment, SkillFinding, judge};
use openoxide_skills::skill::SkillScope;

use super::advice::{Action, Advice};
use crate::link::is_elsewhere;
use crate::paths;

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

    /// Adds a skill that an agent cannot use.
    pub(super) fn add(&mut self, entry: &Entry, view: &'g View) {
        // The file may be a link; the folder is where it has its name.
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

    /// Returns what to do about each folder.
    pub(super) fn advice(&self) -> Vec<Advice> {
        let advice = |(folder, views): (&PathBuf, &Vec<&View>)| {
            let hosts: Vec<&Host> = views.iter().map(|view| &view.host).collect();
            advice_for(folder, views, &judge(folder, &hosts), self.foreign.contains(folder))
        };
        self.folders.iter().map(advice).collect()
    }
}

fn advice_for(folder: &Path, views: &[&View], judged: &Judgment, is_foreign: bool) -> Advice {
    let dropping = || judged.findings.iter().filter(|finding| !finding.dropped_by.is_empty());
    let is_fixable = |finding: &SkillFinding| finding.diagnostic.fix.is_some() && !finding.path.is_symlink();
    let finding = dropping().find(|finding| is_fixable(finding)).or_else(|| dropping().next());
    let titles: Vec<&str> = views.iter().map(|view| view.host.title.as_str()).collect();
    let verb = if titles.len() == 1 { "drops" } else { "drop" };
    let message = match finding.map(|finding| &finding.diagnostic) {
        Some(diagnostic) => &diagnostic.message,
        None => "it cannot be used",
    };
    let fix = finding.is_some_and(is_fixable) && !is_foreign && paths::is_printable(folder);
    Advice {
        subject: judged.name.clone(),
        text: format!("{message}; {} {verb} it", listed(&titles)),
        code: finding.map(|finding| finding.diagnostic.code),
        action: Action::Check { folder: folder.to_owned(), fix },
        fixes: fix && dropping().all(is_fixable),
        agents: views.iter().map(|view| view.spec.id()).collect(),
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
