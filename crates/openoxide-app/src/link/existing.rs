//! Finds the links to a skill that stand in an agent's folders, and removes folders that are empty then.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, ffi::OsStr};

use openoxide_config::{Workspace, WriteDir};
use openoxide_skills::prelude::{Catalog, Entry, SkillScope, View};

use super::files::{self, Existing};
use super::place::{Places, folder_of, name_for};
use crate::{error::Error, paths};

/// What stands in an agent's folders, each read once.
pub(super) struct FolderItems<'w> {
    places: Places<'w>,
    /// By folder: the path of each item, and what it leads to if it is a link.
    items: BTreeMap<PathBuf, Vec<(PathBuf, Option<PathBuf>)>>,
}

/// Something in an agent's folder that leads to a skill, or only looks like it.
pub(super) struct ExistingLink {
    /// Its path without links before the last part.
    pub(super) path: PathBuf,
    pub(super) existing: Existing,
    /// The agent's folder that it is in.
    pub(super) root: PathBuf,
    pub(super) source: PathBuf,
}

impl ExistingLink {
    /// Removes it, if it is still what it was.
    pub(super) fn remove(&self) -> Result<(), Error> {
        match self.existing {
            Existing::Link => files::remove_link(&self.path),
            _ => files::remove_copy(&self.path, &self.source),
        }
    }
}

impl<'w> FolderItems<'w> {
    pub(super) fn of(workspace: &'w Workspace, view: &'w View) -> FolderItems<'w> {
        FolderItems { places: Places::of(workspace, view), items: BTreeMap::new() }
    }

    /// Finds what leads to a skill in the folders where `link` would have put it.
    pub(super) fn links_to(&mut self, entry: &Entry) -> Vec<ExistingLink> {
        let Ok(source) = folder_of(self.places.workspace, entry) else { return Vec::new() };
        let folder = entry.found().parent().and_then(Path::file_name).map(OsStr::to_owned);
        let names = [Some(name_for(entry)), folder, source.file_name().map(OsStr::to_owned)];
        let mut links: BTreeMap<PathBuf, (Existing, &Path)> = BTreeMap::new();
        for root in self.places.roots(entry.skill.scope == SkillScope::Repo) {
            let Ok(real) = std::fs::canonicalize(&root.path) else { continue };
            if self.places.stays_in_project(root, &real).is_err() {
                continue;
            }
            for (path, target) in self.items.entry(real).or_insert_with_key(|real| read(real)) {
                let is_called = || names.iter().flatten().any(|name| path.file_name() == Some(name));
                if *path != source && (target.as_ref() == Some(&source) || is_called()) {
                    links.insert(path.clone(), (files::existing(path, &source), &root.path));
                }
            }
        }
        links.retain(|_, (existing, _)| *existing != Existing::Absent);
        let link = |(path, (existing, root)): (PathBuf, (Existing, &Path))| {
            let (root, source) = (root.to_owned(), source.clone());
            ExistingLink { path, existing, root, source }
        };
        links.into_iter().map(link).collect()
    }
}

fn read(folder: &Path) -> Vec<(PathBuf, Option<PathBuf>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let item = |entry: std::fs::DirEntry| {
        let path = entry.path();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let target = is_link.then(|| std::fs::canonicalize(&path).ok()).flatten();
        (path, target)
    };
    entries.map(item).collect()
}

/// Removes a folder of an agent's, and those above it that are only there for it, while they are empty.
///
/// Returns the uppermost that was removed. The folders that people work in stay: home, the project, cwd and all above.
/// The system itself does not remove a folder that is a link or is not empty.
pub(super) fn remove_empty(workspace: &Workspace, root: &Path) -> Option<PathBuf> {
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
    below.take_while(|folder| remove_if_empty(workspace, folder)).last().map(Path::to_owned)
}

/// Removes one folder; one that only a link of the project leads to stays.
fn remove_if_empty(workspace: &Workspace, folder: &Path) -> bool {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else { return false };
    let real = paths::real(parent);
    let stays = !parent.starts_with(&workspace.project) || real.starts_with(paths::real(&workspace.project));
    stays && WriteDir::open(&real).and_then(|parent| parent.remove_empty(name)).is_ok()
}

/// Returns whether a skill would not be found any more without what stands at `path`.
pub(super) fn is_only_way(catalogs: &[Catalog], entry: &Entry, path: &Path) -> bool {
    let way = |entry: &Entry| {
        let folder = entry.found().parent()?;
        Some(std::fs::canonicalize(folder.parent()?).ok()?.join(folder.file_name()?))
    };
    let same = catalogs.iter().flat_map(Catalog::entries).filter(|other| other.canonical() == entry.canonical());
    let ways: Vec<Option<PathBuf>> = same.map(way).collect();
    ways.contains(&Some(path.to_owned())) && ways.iter().flatten().all(|way| way == path)
}
