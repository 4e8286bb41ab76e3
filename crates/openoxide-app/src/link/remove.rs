//! Use case: takes away what `link` put into an agent's folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use openoxide_live::PlaceSettings;
use openoxide_skills::catalog::Entry;
use openoxide_skills::skill::SkillScope;
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine};

use super::existing::{ExistingLink, FolderItems, remove_empty};
use super::files::Existing;
use super::pair::HostPair;
use super::problem::LinkProblem;
use crate::error::Error;
use crate::paths;

/// What to take away.
#[derive(Clone, Debug)]
pub struct UnlinkInput {
    /// The skills, by name or path.
    pub skills: Vec<String>,
    /// The host that is not to see them any more.
    pub from: String,
    /// Whether to remove every link to a skill elsewhere.
    pub all: bool,
    /// Whether only to tell what would be done.
    pub dry_run: bool,
}

/// Something that unlinking did, or did not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnlinkEvent {
    /// A link or copy is removed.
    Removing {
        /// Its path.
        path: PathBuf,
    },
    /// How many links of the agent were removed, where all were meant.
    Total {
        /// The agent.
        host: String,
        /// How many.
        links: usize,
    },
    /// A folder was removed, because it is empty now.
    RemovedEmpty {
        /// Its path.
        folder: PathBuf,
    },
    /// The agent sees the skill itself, not a link to it.
    SeenItself {
        /// The agent.
        host: String,
        /// The skill's folder.
        folder: PathBuf,
    },
    /// The agent has no link to the skill.
    NoLink {
        /// The agent.
        host: String,
    },
}

/// What came of unlinking.
#[derive(Debug)]
pub struct Unlinked {
    /// What was written.
    pub answer: ChangeAnswer,
    /// Whether the agent still sees a skill that was named, because it looks there itself.
    pub still_seen: bool,
    /// Why something that was named stays.
    pub kept: Option<Error>,
}

/// Takes links and unchanged copies away. Each step is reported before it is taken.
pub fn unlink(
    settings: &PlaceSettings,
    input: &UnlinkInput,
    report: &mut dyn FnMut(UnlinkEvent),
) -> Result<Unlinked, Error> {
    let pair = HostPair::open(settings, &input.from)?;
    let named: Vec<Vec<&Entry>> = input.skills.iter().map(|skill| pair.find(skill)).collect::<Result<_, _>>()?;
    let mut removal =
        Removal { pair: &pair, input, report, removed: BTreeSet::new(), roots: BTreeSet::new(), changes: Vec::new() };
    let (mut still_seen, mut kept) = (false, None);
    for found in &named {
        let before = removal.removed.len();
        let foreign = removal.take(found)?;
        if removal.removed.len() == before && kept.is_none() {
            (still_seen, kept) = removal.nothing_removed(found, &foreign);
        }
    }
    if input.all {
        let found: Vec<&Entry> = pair.own.entries().filter(|entry| is_own(entry)).collect();
        removal.take(&found)?;
        let links = removal.removed.len();
        (removal.report)(UnlinkEvent::Total { host: pair.title(), links });
    }
    removal.remove_empty();
    let answer = ChangeAnswer { dry_run: input.dry_run, ..ChangeAnswer::new(removal.changes, None) };
    Ok(Unlinked { answer, still_seen, kept })
}

/// Removal on its way.
struct Removal<'r> {
    pair: &'r HostPair<'r>,
    input: &'r UnlinkInput,
    report: &'r mut dyn FnMut(UnlinkEvent),
    removed: BTreeSet<PathBuf>,
    /// The agent's folders in which something was removed.
    roots: BTreeSet<PathBuf>,
    changes: Vec<ChangeLine>,
}

impl Removal<'_> {
    /// Removes what leads to skills, and returns what only looks like it.
    fn take(&mut self, found: &[&Entry]) -> Result<Vec<ExistingLink>, Error> {
        let mut items = FolderItems::of(self.pair.workspace, &self.pair.view);
        let mut foreign = Vec::new();
        for entry in found {
            // Looked at anew for each skill: of two equal copies, the one must not go because of the other.
            for link in items.links_to(entry) {
                // A copy is removed only by name: it may be as old as the skill.
                let is_meant = link.existing == Existing::Link || link.existing == Existing::Copy && !self.input.all;
                if !is_meant || self.pair.is_only_way(entry, &link.path) {
                    foreign.push(link);
                    continue;
                }
                // A skill that is found by two paths comes twice.
                if self.removed.insert(link.path.clone()) {
                    (self.report)(UnlinkEvent::Removing { path: link.path.clone() });
                    if !self.input.dry_run {
                        link.remove()?;
                    }
                    self.changes.push(ChangeLine::new("remove", &link.path, Some(path_text(&link.source))));
                    self.roots.insert(link.root);
                }
            }
        }
        Ok(foreign)
    }

    /// Reports why nothing was removed; returns whether the agent still sees the skill, and why something stays.
    fn nothing_removed(&mut self, found: &[&Entry], foreign: &[ExistingLink]) -> (bool, Option<Error>) {
        if let Some(link) = foreign.first() {
            return (false, Some(self.kept(link).into()));
        }
        let host = self.pair.title();
        let seen = found.iter().find_map(|entry| self.pair.seen(entry, None).filter(|seen| seen.is_active()));
        let Some(seen) = seen else {
            (self.report)(UnlinkEvent::NoLink { host });
            return (false, None);
        };
        let folder = seen.found().parent().unwrap_or(Path::new("/")).to_owned();
        (self.report)(UnlinkEvent::SeenItself { host, folder });
        (true, None)
    }

    fn kept(&self, link: &ExistingLink) -> LinkProblem {
        let shown = paths::short(self.pair.workspace, &link.path);
        let problem = LinkProblem::new(match link.existing {
            Existing::Dangling => format!("`{shown}` is a link that leads nowhere, and stays"),
            existing if existing.is_ours() => format!("`{shown}` is the only way to the skill, and stays"),
            _ => format!("`{shown}` is neither a link to the skill nor an unchanged copy, and stays"),
        });
        problem.help("remove it yourself if it is not needed")
    }

    /// Removes the agent's folders that are empty now, so that the tree is as it was before `link`.
    fn remove_empty(&mut self) {
        for root in self.roots.iter().filter(|_| !self.input.dry_run) {
            if let Some(folder) = remove_empty(self.pair.workspace, root) {
                self.changes.push(ChangeLine::new("remove", &folder, None));
                (self.report)(UnlinkEvent::RemovedEmpty { folder });
            }
        }
    }
}

/// Returns whether a skill is the user's or the project's.
fn is_own(entry: &Entry) -> bool {
    matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User)
}
