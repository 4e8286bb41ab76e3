//! Where a skill goes so that an agent sees it, and where links to it stand already.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::catalog::{Catalog, Entry, View};
use openoxide_skills::diagnostic::Fix;
use openoxide_skills::host::{Layout, Links};
use openoxide_skills::judge::judge;
use openoxide_skills::root::Root;
use openoxide_skills::skill::SkillScope;
use openoxide_skills::text::path_text;
use openoxide_wire::ChangeLine;

use super::files::{self, Kind};
use crate::error::Told;
use crate::paths;

/// One skill, and the place that it gets for an agent.
#[derive(Debug)]
pub(crate) struct Step {
    /// The place, by the agent's own path.
    pub(super) place: PathBuf,
    /// The skill's folder, without links.
    pub(super) source: PathBuf,
    /// What stands there now.
    pub(super) kind: Kind,
    /// Whether the agent would not follow a link.
    pub(super) copies: bool,
    /// The place's folder, without links.
    parent: PathBuf,
}

impl Step {
    /// Tells whether the place is free.
    pub(crate) fn is_free(&self) -> bool {
        self.kind == Kind::Absent
    }

    /// Says why something else cannot be put there.
    pub(crate) fn taken(&self, workspace: &Workspace) -> Told {
        let shown = paths::short(workspace, &self.place);
        let told = match self.kind {
            Kind::Dangling => Told::failed(format!("`{shown}` is there already, a link that leads nowhere")),
            _ => Told::failed(format!("`{shown}` is there already, and is something else")),
        };
        told.hint("nothing is replaced: rename or remove what is there")
    }

    /// Tells what is made, for an answer.
    pub(super) fn change(&self, copies: bool) -> ChangeLine {
        // A disk without links has a copy there now, whatever was planned.
        let is_copy = copies || self.copies || self.place.is_dir() && !self.place.is_symlink();
        ChangeLine::new(if is_copy { "copy" } else { "link" }, &self.place, Some(path_text(&self.source)))
    }

    /// Makes the link or the copy.
    pub(super) fn make(&self, copies: bool) -> anyhow::Result<()> {
        let real = self.parent.join(self.place.file_name().unwrap_or_default());
        let linked = !copies && !self.copies && files::link(&self.parent, &real, &self.source)?;
        if linked { Ok(()) } else { files::copy(&self.parent, &real, &self.source) }
    }
}

/// Returns the skills that count here and that an agent does not look for where they are, each with its place.
///
/// Skills without a place, because the agent has no such folder, are left out.
pub(crate) fn unseen<'c>(
    workspace: &Workspace,
    own: &'c Catalog,
    view: &View,
    other: &Catalog,
) -> Vec<(&'c Entry, Result<Step, Told>)> {
    let looked_at = other.entries().filter(|entry| !is_elsewhere(entry));
    let known: HashSet<&Path> = looked_at.map(Entry::canonical).collect();
    let names: HashSet<&str> = other.skills.iter().map(|entry| entry.skill.name.as_ref()).collect();
    let mut places = Places::of(workspace, view);
    let missing = own.skills.iter().filter(|entry| {
        matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User)
            && !known.contains(entry.canonical())
            && !names.contains(entry.skill.name.as_ref())
            && !own.roots[entry.root].root.scan.layout.is_flat()
    });
    let missing: Vec<&Entry> = missing.filter(|entry| places.chosen(entry).is_some()).collect();
    missing.into_iter().map(|entry| (entry, places.plan(entry))).collect()
}

/// Says why an agent would drop a skill that is linked, if it would.
pub(crate) fn would_drop(view: &View, entry: &Entry) -> Option<String> {
    let name = name_for(entry);
    // The link is called like the skill, whatever its folder is called.
    let is_mended = |fix: &Fix| matches!(fix, Fix::RenameFolder { to } if **to == *name);
    let judged = judge(entry.found().parent().unwrap_or(Path::new("/")), &[&view.host]);
    let findings = judged.findings.into_iter().filter(|finding| !finding.dropped_by.is_empty());
    let mut findings = findings.filter(|finding| !finding.diagnostic.fix.as_ref().is_some_and(is_mended));
    findings.next().map(|finding| finding.diagnostic.message)
}

/// Tells whether an agent does not look where a file is, so that the file itself may be fine.
pub(crate) fn is_elsewhere(entry: &Entry) -> bool {
    entry.reason.as_ref().is_some_and(|reason| reason.code.is_about_place())
}

/// Returns a skill's folder without links.
fn folder_of(workspace: &Workspace, entry: &Entry) -> Result<PathBuf, Told> {
    let (folder, name) = (entry.found().parent(), entry.found().file_name());
    let is_folder = name.is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let real = folder.filter(|_| is_folder).and_then(|folder| match entry.canonical() == entry.found() {
        true => Some(folder.to_owned()),
        false => std::fs::canonicalize(folder).ok(),
    });
    real.ok_or_else(|| {
        let message = format!("`{}` is a single file, not a skill's folder", paths::short(workspace, entry.found()));
        Told::failed(message).hint("only a folder with a `SKILL.md` can be linked")
    })
}

/// The folders of an agent that skills may be put into.
pub(super) struct Places<'w> {
    workspace: &'w Workspace,
    view: &'w View,
    /// The project's root without links.
    project: PathBuf,
    /// Whether the project is the user's home, so that a skill of the one is a skill of the other.
    is_home: bool,
    /// The folder chosen for skills of the project, and for any other: its root, and where that really is.
    chosen: BTreeMap<bool, Option<Chosen<'w>>>,
}

/// A folder that was chosen.
#[derive(Clone)]
struct Chosen<'w> {
    root: &'w Root,
    parent: Result<PathBuf, Told>,
}

impl<'w> Places<'w> {
    pub(super) fn of(workspace: &'w Workspace, view: &'w View) -> Places<'w> {
        let real = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let project = real(&workspace.project);
        let is_home = workspace.environment.home.as_ref().is_some_and(|home| real(home) == project);
        Places { workspace, view, project, is_home, chosen: BTreeMap::new() }
    }

    /// Finds the place for a skill, without writing anything.
    pub(super) fn plan(&mut self, entry: &Entry) -> Result<Step, Told> {
        let source = folder_of(self.workspace, entry)?;
        let view = self.view;
        let Chosen { root, parent } = self.chosen(entry).ok_or_else(|| no_folder(view, entry))?;
        let parent = parent?;
        let name = name_for(entry);
        let real = parent.join(&name);
        if real.starts_with(&source) {
            let message = format!("`{}` lies inside the skill", paths::short(self.workspace, &real));
            return Err(Told::failed(message).hint("a link there would lead into itself"));
        }
        let copies = root.scan.folder_links == Links::Skip;
        Ok(Step { place: root.path.join(&name), kind: files::kind(&real, &source), source, copies, parent })
    }

    /// Chooses one of the agent's folders, best one that is there already.
    fn chosen(&mut self, entry: &Entry) -> Option<Chosen<'w>> {
        let is_repo = entry.skill.scope == SkillScope::Repo;
        if let Some(chosen) = self.chosen.get(&is_repo) {
            return chosen.clone();
        }
        // A folder nearer to the project's root serves more of the project.
        let order = |root: &&Root| (!root.path.is_dir(), root.path.components().count());
        let root = self.roots(is_repo).filter(|root| !root.narrow).min_by_key(order);
        let parent = |root: &Root| {
            let real = real_folder(self.workspace, &root.path)?;
            self.stays_in_project(root, &real).map(|()| real)
        };
        let chosen = root.map(|root| Chosen { root, parent: parent(root) });
        self.chosen.insert(is_repo, chosen.clone());
        chosen
    }

    /// Returns the folders for skills of the project, or for any other: those are the user's.
    fn roots(&self, is_repo: bool) -> impl Iterator<Item = &'w Root> {
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
                && root.asleep.is_none()
                && root.off.is_none()
        };
        self.view.roots.iter().filter(holds).filter(fits)
    }

    /// Refuses to write through a link of the project to elsewhere: whoever wrote the project put it there.
    fn stays_in_project(&self, root: &Root, parent: &Path) -> Result<(), Told> {
        if root.scope != SkillScope::Repo || parent.starts_with(&self.project) {
            return Ok(());
        }
        let (from, to) = (paths::short(self.workspace, &root.path), paths::short(self.workspace, parent));
        let message = format!("`{from}` leads out of the project, to `{to}`");
        Err(Told::failed(message).hint("nothing is written through a link of the project to elsewhere"))
    }
}

fn no_folder(view: &View, entry: &Entry) -> Told {
    let whose = if entry.skill.scope == SkillScope::Repo { "a project" } else { "a user" };
    let message = format!("{} has no folder for the skills of {whose}", view.host.title);
    Told::failed(message).hint(format!("`openoxide roots --host {}` shows where it looks", view.spec.id()))
}

/// Chooses what the link is called: like the skill, since some agents go by the folder, else like the folder.
fn name_for(entry: &Entry) -> OsString {
    let name = &entry.skill.name;
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "-_.".contains(character));
    let folder = || entry.found().parent().and_then(Path::file_name).unwrap_or_default().to_owned();
    if is_plain { (**name).into() } else { folder() }
}

/// Returns a folder without links, also if it is not there yet.
fn real_folder(workspace: &Workspace, path: &Path) -> Result<PathBuf, Told> {
    for there in path.ancestors() {
        let shown = || paths::short(workspace, there);
        match (std::fs::canonicalize(there), there.symlink_metadata()) {
            (Ok(real), _) if real.is_dir() => return Ok(real.join(path.strip_prefix(there).unwrap_or(path))),
            (Ok(_), _) => return Err(Told::failed(format!("`{}` is not a folder", shown()))),
            (Err(_), Ok(stat)) if stat.is_symlink() => {
                return Err(Told::failed(format!("`{}` is a link that leads nowhere", shown())));
            }
            (Err(error), Ok(_)) => return Err(Told::failed(format!("`{}` cannot be entered: {error}", shown()))),
            (Err(_), Err(_)) => {}
        }
    }
    Ok(path.to_owned())
}

/// An entry of an agent's folder: its path there, and what it leads to if it is a link.
struct Item {
    path: PathBuf,
    target: Option<PathBuf>,
}

/// What stands in an agent's folders, each read once.
pub(super) struct Shelves<'w> {
    places: Places<'w>,
    items: BTreeMap<PathBuf, Vec<Item>>,
}

/// Something of an agent's that leads to a skill, or only looks like it.
pub(super) struct Held {
    /// Its path without links before the last part.
    pub(super) path: PathBuf,
    /// What it is.
    pub(super) kind: Kind,
    /// The agent's folder that it is in, by the agent's own path.
    pub(super) root: PathBuf,
    /// The skill's folder.
    pub(super) source: PathBuf,
}

impl Held {
    /// Removes it, if it is still what it was.
    pub(super) fn remove(&self) -> anyhow::Result<()> {
        match self.kind {
            Kind::Link => files::remove_link(&self.path),
            _ => files::remove_copy(&self.path, &self.source),
        }
    }
}

impl<'w> Shelves<'w> {
    pub(super) fn of(workspace: &'w Workspace, view: &'w View) -> Shelves<'w> {
        Shelves { places: Places::of(workspace, view), items: BTreeMap::new() }
    }

    /// Finds what leads to a skill in the folders where `link` would have put it.
    pub(super) fn held(&mut self, entry: &Entry) -> Vec<Held> {
        let Ok(source) = folder_of(self.places.workspace, entry) else { return Vec::new() };
        let folder = entry.found().parent().and_then(Path::file_name).map(OsStr::to_owned);
        let names = [Some(name_for(entry)), folder, source.file_name().map(OsStr::to_owned)];
        let mut held: BTreeMap<PathBuf, (Kind, &Path)> = BTreeMap::new();
        for root in self.places.roots(entry.skill.scope == SkillScope::Repo) {
            let Ok(real) = std::fs::canonicalize(&root.path) else { continue };
            if self.places.stays_in_project(root, &real).is_err() {
                continue;
            }
            for item in self.items.entry(real).or_insert_with_key(|real| read(real)) {
                let is_called = || names.iter().flatten().any(|name| item.path.file_name() == Some(name));
                if item.path != source && (item.target.as_ref() == Some(&source) || is_called()) {
                    held.insert(item.path.clone(), (files::kind(&item.path, &source), &root.path));
                }
            }
        }
        held.retain(|_, (kind, _)| *kind != Kind::Absent);
        let one = |(path, (kind, root)): (PathBuf, (Kind, &Path))| {
            let (root, source) = (root.to_owned(), source.clone());
            Held { path, kind, root, source }
        };
        held.into_iter().map(one).collect()
    }
}

fn read(folder: &Path) -> Vec<Item> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let item = |entry: std::fs::DirEntry| {
        let path = entry.path();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        Item { target: is_link.then(|| std::fs::canonicalize(&path).ok()).flatten(), path }
    };
    entries.map(item).collect()
}

/// Removes a folder of an agent's, and those above it that are only there for it, while they are empty.
///
/// Returns the uppermost that was removed. The folders that people work in stay: home, the project, cwd and all above.
/// A folder that is not empty, or that is a link, is not removed by the system itself.
pub(super) fn clear(workspace: &Workspace, root: &Path) -> Option<PathBuf> {
    let environment = &workspace.environment;
    let kept: Vec<&Path> = [Some(&workspace.project), Some(&environment.cwd), environment.home.as_ref()]
        .into_iter()
        .flatten()
        .map(AsRef::as_ref)
        .collect();
    if !kept.iter().any(|base| root.starts_with(base)) {
        return None;
    }
    let below = root.ancestors().take_while(|folder| !kept.iter().any(|base| base.starts_with(folder)));
    below.take_while(|folder| std::fs::remove_dir(folder).is_ok()).last().map(Path::to_owned)
}

/// Tells whether a skill would not be found any more without what stands at `path`.
pub(super) fn is_only_way(catalogs: &[Catalog], entry: &Entry, path: &Path) -> bool {
    let way = |entry: &Entry| {
        let folder = entry.found().parent()?;
        Some(std::fs::canonicalize(folder.parent()?).ok()?.join(folder.file_name()?))
    };
    let same = catalogs.iter().flat_map(Catalog::entries).filter(|other| other.canonical() == entry.canonical());
    let ways: Vec<Option<PathBuf>> = same.map(way).collect();
    ways.contains(&Some(path.to_owned())) && ways.iter().flatten().all(|way| way == path)
}
