//! Chooses where a skill goes so that an agent sees it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use openoxide_config::{MyAgentsOrigin, Workspace};
use openoxide_skills::catalog::PlannedLink;
use openoxide_skills::host::{Layout, Links};
use openoxide_skills::prelude::{Catalog, Entry, SkillScope, Status, View};
use openoxide_skills::{diagnostic::Fix, judge::judge, root::Root, text::path_text};
use openoxide_wire::ChangeLine;

use super::files::{self, Existing, not_linked};
use crate::{error::Error, paths};

/// The place that one skill gets in an agent's folder.
#[derive(Debug)]
pub struct Placement {
    /// The place, by the agent's own path.
    pub place: PathBuf,
    /// The skill's folder, without links.
    pub source: PathBuf,
    pub(super) existing: Existing,
    /// Whether the agent would not follow a link.
    pub(super) needs_copy: bool,
    /// The place's folder, without links.
    parent: PathBuf,
    /// The titles of the user's other agents that look there too.
    pub(super) also_seen_by: Vec<String>,
}

impl Placement {
    /// Returns whether the place is free.
    pub fn is_free(&self) -> bool {
        self.existing == Existing::Absent
    }

    /// Returns why nothing else can be put there.
    pub fn taken(&self, workspace: &Workspace) -> Error {
        let what =
            if self.existing == Existing::Dangling { "a link that leads nowhere" } else { "and is something else" };
        let message = format!("`{}` is there already, {what}", paths::short(workspace, &self.place));
        not_linked(message).with_help("nothing is replaced: rename or remove what is there")
    }

    /// Returns what a search would find there.
    pub(crate) fn planned(&self) -> PlannedLink {
        PlannedLink {
            folder: self.place.parent().unwrap_or(Path::new("/")).to_owned(),
            real_folder: self.parent.clone(),
            name: self.place.file_name().unwrap_or_default().to_owned(),
            source: self.source.clone(),
            copy: self.needs_copy,
        }
    }

    pub(super) fn change(&self, copy: bool) -> ChangeLine {
        // A disk without links has a copy there now, whatever was planned.
        let is_copy = copy || self.needs_copy || self.place.is_dir() && !self.place.is_symlink();
        ChangeLine::new(if is_copy { "copy" } else { "link" }, &self.place, Some(path_text(&self.source)))
    }

    /// Returns the place without links before its last part.
    pub(super) fn real(&self) -> PathBuf {
        self.parent.join(self.place.file_name().unwrap_or_default())
    }

    pub(super) fn make(&self, copy: bool) -> Result<(), Error> {
        let real = self.real();
        let linked = !copy && !self.needs_copy && files::link(&real, &self.source)?;
        if linked { Ok(()) } else { files::copy(&real, &self.source) }
    }
}

/// Returns the skills that are active here and that an agent does not find where they are, each with its place.
///
/// Skills without a place, because the agent has no such folder, are left out.
pub fn unseen<'c>(
    workspace: &Workspace,
    own: &'c Catalog,
    view: &View,
    other: &Catalog,
) -> Vec<(&'c Entry, Result<Placement, Error>)> {
    unseen_of(workspace, (own, own.skills.iter()), view, other)
}

/// Returns the place that one skill of a catalog would get, as [`unseen`] does for all of them.
pub(crate) fn unseen_place(
    workspace: &Workspace,
    (own, entry): (&Catalog, &Entry),
    view: &View,
    other: &Catalog,
) -> Option<Placement> {
    let mut found = unseen_of(workspace, (own, std::iter::once(entry)), view, other);
    found.pop().and_then(|(_, place)| place.ok())
}

fn unseen_of<'c>(
    workspace: &Workspace,
    (own, entries): (&'c Catalog, impl Iterator<Item = &'c Entry>),
    view: &View,
    other: &Catalog,
) -> Vec<(&'c Entry, Result<Placement, Error>)> {
    let looked_at = other.entries().filter(|entry| !is_elsewhere(entry));
    let known: HashSet<&Path> = looked_at.map(Entry::canonical).collect();
    // One that is switched off or denied is there: the user decided on the name.
    let is_there = |entry: &&Entry| entry.is_active() || matches!(entry.status, Status::Disabled | Status::Denied);
    let names: HashSet<&str> = other.entries().filter(is_there).map(|entry| entry.skill.name.as_ref()).collect();
    let mut places = Places::of(workspace, view);
    let missing = entries.filter(|entry| {
        matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User)
            && !known.contains(entry.canonical())
            && !names.contains(entry.skill.name.as_ref())
            && !own.roots[entry.root].root.scan.layout.is_flat()
    });
    let missing: Vec<&Entry> = missing.filter(|entry| places.root_for(entry).is_some()).collect();
    missing.into_iter().map(|entry| (entry, places.plan(entry))).collect()
}

/// Returns why an agent would drop a skill that is linked, if it would.
pub fn would_drop(view: &View, entry: &Entry) -> Option<String> {
    let name = name_for(entry);
    // The link has the skill's name, whatever the folder is called.
    let is_fixed = |fix: &Fix| matches!(fix, Fix::RenameFolder(to) if **to == *name);
    let folder = entry.found().parent().unwrap_or(Path::new("/"));
    let judged = judge(folder, &[&view.host], &view.around.boundary_at(folder));
    let findings = judged.findings.into_iter().filter(|finding| !finding.dropped_by.is_empty());
    let mut findings = findings.filter(|finding| !finding.diagnostic.fix.as_ref().is_some_and(is_fixed));
    findings.next().map(|finding| finding.diagnostic.message)
}

/// Returns whether an agent does not look where a file is, so that the file itself may be fine.
pub fn is_elsewhere(entry: &Entry) -> bool {
    entry.reason.as_ref().is_some_and(|reason| reason.code.is_about_place())
}

pub(super) fn folder_of(workspace: &Workspace, entry: &Entry) -> Result<PathBuf, Error> {
    let (folder, name) = (entry.found().parent(), entry.found().file_name());
    let is_folder = name.is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let real = folder.filter(|_| is_folder).and_then(|folder| match entry.canonical() == entry.found() {
        true => Some(folder.to_owned()),
        false => std::fs::canonicalize(folder).ok(),
    });
    real.ok_or_else(|| {
        let message = format!("`{}` is a single file, not a skill's folder", paths::short(workspace, entry.found()));
        not_linked(message).with_help("only a folder with a `SKILL.md` can be linked")
    })
}

/// The folders of an agent that skills may be put into.
pub(crate) struct Places<'w> {
    pub(super) workspace: &'w Workspace,
    view: &'w View,
    /// The project's root without links.
    project: PathBuf,
    /// Whether the project is the user's home, so that a skill of the one is a skill of the other.
    is_home: bool,
    /// The folder chosen for skills of the project, and for any other.
    chosen: BTreeMap<bool, Option<&'w Root>>,
    /// Where chosen folders really are.
    parents: BTreeMap<&'w Path, PathBuf>,
    /// The user's other agents; looked for only where several folders can be chosen.
    others: OnceCell<Vec<View>>,
}

impl<'w> Places<'w> {
    pub(crate) fn of(workspace: &'w Workspace, view: &'w View) -> Places<'w> {
        let project = paths::real(&workspace.project);
        let is_home = workspace.environment.home.as_ref().is_some_and(|home| paths::real(home) == project);
        let (chosen, parents, others) = (BTreeMap::new(), BTreeMap::new(), OnceCell::new());
        Places { workspace, view, project, is_home, chosen, parents, others }
    }

    /// Finds the place for a skill, without writing anything.
    pub(super) fn plan(&mut self, entry: &Entry) -> Result<Placement, Error> {
        let source = folder_of(self.workspace, entry)?;
        let root = self.root_for(entry).ok_or_else(|| no_folder(self.view, entry))?;
        let parent = self.parent(root)?;
        let name = name_for(entry);
        let real = parent.join(&name);
        if real.starts_with(&source) {
            let message = format!("`{}` lies inside the skill", paths::short(self.workspace, &real));
            return Err(not_linked(message).with_help("a link there would lead into itself"));
        }
        let needs_copy = root.scan.folder_links == Links::Skip;
        let existing = files::existing(&real, &source);
        let also_seen_by = self.others_in(root).map(|other| other.host.title.clone()).collect();
        Ok(Placement { place: root.path.join(&name), existing, source, needs_copy, parent, also_seen_by })
    }

    /// Returns the user's other agents that look into a folder.
    fn others_in(&self, root: &Root) -> impl Iterator<Item = &View> {
        let others = self.others.get_or_init(|| {
            // Our own rules, which stand in where no agent is found, are no agent.
            let agents = self.workspace.usual_agents().ok();
            let agents = agents.filter(|agents| agents.origin != MyAgentsOrigin::NoneFound);
            let agents = agents.map(|agents| agents.hosts).unwrap_or_default();
            let views = agents.into_iter().map(|agent| agent.view);
            views.filter(|view| view.spec.name != self.view.spec.name).collect()
        });
        let looks = |view: &&View| {
            let mut there = view.roots.iter().filter(|other| other.path == root.path);
            there.any(|other| other.off.is_none() && !other.scan.layout.is_flat())
        };
        others.iter().filter(move |view| looks(view))
    }

    /// Chooses one of the agent's folders: one that the fewest other agents of the user look into, and best one that is
    /// there already, or in a folder of the agent's that is.
    fn root_for(&mut self, entry: &Entry) -> Option<&'w Root> {
        let is_repo = entry.skill.scope == SkillScope::Repo;
        if let Some(chosen) = self.chosen.get(&is_repo) {
            return *chosen;
        }
        // A folder nearer to the project's root serves more of the project.
        let missing = |root: &Root| root.path.ancestors().take_while(|folder| !folder.is_dir()).count();
        let order = |root: &&Root| (self.others_in(root).count(), missing(root), root.path.components().count());
        let chosen = self.roots(is_repo).filter(|root| !root.rule.narrow).min_by_key(order);
        self.chosen.insert(is_repo, chosen);
        chosen
    }

    /// Returns where a folder really is.
    fn parent(&mut self, root: &'w Root) -> Result<PathBuf, Error> {
        if let Some(parent) = self.parents.get(&*root.path) {
            return Ok(parent.clone());
        }
        let parent = real_folder(self.workspace, &root.path)?;
        self.stays_in_project(root, &parent)?;
        self.parents.insert(&root.path, parent.clone());
        Ok(parent)
    }

    /// Returns the folders for skills of the project, or for any other: those are the user's.
    pub(crate) fn roots(&self, is_repo: bool) -> impl Iterator<Item = &'w Root> {
        let (workspace, is_home) = (self.workspace, self.is_home);
        let fits = move |root: &&Root| match root.scope {
            SkillScope::Repo => (is_repo || is_home) && root.path.starts_with(&workspace.project),
            SkillScope::User => !is_repo || is_home,
            _ => false,
        };
        let holds = |root: &&Root| {
            matches!(root.scan.layout, Layout::Tree | Layout::Child)
                && root.plugin.is_none()
                && !root.named
                && !root.asleep
                && root.off.is_none()
        };
        self.view.roots.iter().filter(holds).filter(fits)
    }

    /// Refuses to write through a link that leads out of the project: the project's author put it there.
    pub(super) fn stays_in_project(&self, root: &Root, parent: &Path) -> Result<(), Error> {
        if root.scope != SkillScope::Repo || parent.starts_with(&self.project) {
            return Ok(());
        }
        let (from, to) = (paths::short(self.workspace, &root.path), paths::short(self.workspace, parent));
        let message = format!("`{from}` leads out of the project, to `{to}`");
        Err(not_linked(message).with_help("nothing is written through a link of the project to elsewhere"))
    }
}

fn no_folder(view: &View, entry: &Entry) -> Error {
    let whose = if entry.skill.scope == SkillScope::Repo { "a project" } else { "a user" };
    let message = format!("{} has no folder for the skills of {whose}", view.host.title);
    not_linked(message).with_help(format!("`openoxide roots --host {}` shows where it looks", view.spec.id()))
}

/// Chooses the link's name: the skill's, since some agents go by the folder, or else the folder's.
pub(super) fn name_for(entry: &Entry) -> OsString {
    let name = &entry.skill.name;
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_.".contains(character));
    let folder = || entry.found().parent().and_then(Path::file_name).unwrap_or_default().to_owned();
    if is_plain { (**name).into() } else { folder() }
}

/// Returns a folder without links, also if it is not there yet.
fn real_folder(workspace: &Workspace, path: &Path) -> Result<PathBuf, Error> {
    for there in path.ancestors() {
        let shown = || paths::short(workspace, there);
        match (std::fs::canonicalize(there), there.symlink_metadata()) {
            (Ok(real), _) if real.is_dir() => return Ok(real.join(path.strip_prefix(there).unwrap_or(path))),
            (Ok(_), _) => return Err(not_linked(format!("`{}` is not a folder", shown()))),
            (Err(_), Ok(stat)) if stat.is_symlink() => {
                return Err(not_linked(format!("`{}` is a link that leads nowhere", shown())));
            }
            (Err(error), Ok(_)) => return Err(not_linked(format!("`{}` cannot be entered: {error}", shown()))),
            (Err(_), Err(_)) => {}
        }
    }
    Ok(path.to_owned())
}
