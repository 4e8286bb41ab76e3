//! Use case: takes away what `link` put into an agent's folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use openoxide_live::PlaceSettings;
use openoxide_skills::prelude::{Entry, SkillScope};
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine};

use super::existing::{ExistingLink, FolderItems, remove_empty};
use super::files::{Existing, not_linked};
use super::{HostPair, Placement, Places, reference};
use crate::{Progress, Report, error::Error, numbers::count, paths, skill_id::SkillReference};

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

/// What came of unlinking.
#[derive(Debug)]
pub struct Unlinked {
    /// What was removed: for undoing it. Nothing in a dry run.
    pub removed: Vec<RemovedLink>,
    /// What was written, without the way to undo it: each face writes that in its own words.
    pub answer: ChangeAnswer,
    /// Whether the agent still sees a skill that was named, because it looks there itself.
    pub still_seen: bool,
    /// Why something that was named stays.
    pub kept: Option<Error>,
}

/// A link or copy that was removed.
#[derive(Debug)]
pub struct RemovedLink {
    /// Where it was.
    pub place: PathBuf,
    /// The folder of the skill.
    pub source: PathBuf,
    /// Whether it was a copy.
    pub is_copy: bool,
    /// The skill that `link` takes to make exactly this again; absent if it would make something else.
    pub skill: Option<SkillReference>,
}

/// Takes links and unchanged copies away. Each step is reported.
pub fn unlink(settings: &PlaceSettings, input: &UnlinkInput, report: Report<'_>) -> Result<Unlinked, Error> {
    let pair = HostPair::of(&settings.workspace, &settings.view, &input.from)?;
    let named: Vec<Vec<&Entry>> = input.skills.iter().map(|skill| pair.find(skill)).collect::<Result<_, _>>()?;
    let mut removal = Removal {
        pair: &pair,
        input,
        report,
        removed: BTreeSet::new(),
        roots: BTreeSet::new(),
        changes: Vec::new(),
        gone: Vec::new(),
    };
    let (mut still_seen, mut kept) = (false, None);
    for found in &named {
        let before = removal.removed.len();
        let foreign = removal.take(found)?;
        if removal.removed.len() == before && kept.is_none() {
            (still_seen, kept) = removal.nothing_removed(found, &foreign);
        }
    }
    if input.all {
        let found: Vec<&Entry> = pair.own().entries().filter(|entry| is_own(entry)).collect();
        removal.take(&found)?;
        let (links, host) = (count(removal.removed.len(), "link"), pair.title());
        let verb = if input.dry_run { "would be removed" } else { "removed" };
        removal.say(format!("{links} of {host} {verb}"));
    }
    removal.remove_empty();
    let answer = ChangeAnswer { dry_run: input.dry_run, ..ChangeAnswer::new(removal.changes, None) };
    let removed = if removal.gone.is_empty() { Vec::new() } else { removed(settings, input, &removal.gone)? };
    Ok(Unlinked { removed, answer, still_seen, kept })
}

struct Removal<'r> {
    pair: &'r HostPair<'r>,
    input: &'r UnlinkInput,
    report: Report<'r>,
    removed: BTreeSet<PathBuf>,
    /// The agent's folders in which something was removed.
    roots: BTreeSet<PathBuf>,
    changes: Vec<ChangeLine>,
    /// What was removed and was not only to be.
    gone: Vec<ExistingLink>,
}

impl Removal<'_> {
    fn say(&mut self, text: String) {
        (self.report)(Progress::Done(text));
    }

    fn short(&self, path: &Path) -> String {
        paths::short(self.pair.workspace, path)
    }

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
                    if !self.input.dry_run {
                        link.remove()?;
                    }
                    let verb = if self.input.dry_run { "would remove" } else { "removed" };
                    self.say(format!("{verb} {}", self.short(&link.path)));
                    self.changes.push(ChangeLine::new("remove", &link.path, Some(path_text(&link.source))));
                    self.roots.insert(link.root.clone());
                    self.gone.extend((!self.input.dry_run).then_some(link));
                }
            }
        }
        Ok(foreign)
    }

    /// Reports why nothing was removed; returns whether the agent still sees the skill, and why something stays.
    fn nothing_removed(&mut self, found: &[&Entry], foreign: &[ExistingLink]) -> (bool, Option<Error>) {
        if let Some(link) = foreign.first() {
            return (false, Some(self.kept(link)));
        }
        let host = self.pair.title();
        let seen = found.iter().find_map(|entry| self.pair.seen(entry, None).filter(|seen| seen.is_active()));
        let folder = seen.map(|seen| self.short(seen.found().parent().unwrap_or(Path::new("/"))));
        self.say(match folder {
            Some(folder) => format!("{host} sees {folder} itself, not a link to it"),
            None => format!("{host} has no link to it"),
        });
        (seen.is_some(), None)
    }

    fn kept(&self, link: &ExistingLink) -> Error {
        let shown = self.short(&link.path);
        let problem = not_linked(match link.existing {
            Existing::Dangling => format!("`{shown}` is a link that leads nowhere, and stays"),
            existing if existing.is_ours() => format!("`{shown}` is the only way to the skill, and stays"),
            _ => format!("`{shown}` is neither a link to the skill nor an unchanged copy, and stays"),
        });
        problem.with_help("remove it yourself if it is not needed")
    }

    /// Removes the agent's folders that are empty now, so that the tree is as it was before `link`.
    fn remove_empty(&mut self) {
        for root in std::mem::take(&mut self.roots).iter().filter(|_| !self.input.dry_run) {
            if let Some(folder) = remove_empty(self.pair.workspace, root) {
                self.changes.push(ChangeLine::new("remove", &folder, None));
                self.say(format!("removed {}, which is empty now", self.short(&folder)));
            }
        }
    }
}

/// Looks again, and says of what was removed whether `link` would make it again as it was.
fn removed(settings: &PlaceSettings, input: &UnlinkInput, gone: &[ExistingLink]) -> Result<Vec<RemovedLink>, Error> {
    let workspace = settings.workspace.reopen()?;
    let (own, _) = workspace.view(&settings.view.spec.id())?;
    let pair = HostPair::of(&workspace, &own, &input.from)?;
    let mut places = Places::of(&workspace, &pair.view);
    let removed = gone.iter().map(|link| {
        let is_copy = link.existing == Existing::Copy;
        let found = link.source.to_str().and_then(|source| pair.find(source).ok()).unwrap_or_default();
        let entry = found.first().filter(|entry| pair.seen(entry, None).is_none());
        let placement = entry.and_then(|entry| places.plan(entry).ok());
        let is_same = |placement: &Placement| {
            placement.is_free() && placement.real() == link.path && (is_copy || !placement.needs_copy)
        };
        let skill = entry.filter(|_| placement.as_ref().is_some_and(is_same)).map(|entry| reference(&pair, entry));
        RemovedLink { place: link.path.clone(), source: link.source.clone(), is_copy, skill }
    });
    Ok(removed.collect())
}

fn is_own(entry: &Entry) -> bool {
    matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User)
}
