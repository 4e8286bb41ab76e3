//! Decides what may be renamed: nothing that something else relies on by its name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::text::TerminalText;

use super::collection::Collection;
use super::plan::{Plan, Rename};
use super::scope::Scope;
use super::{links, relink::Relink};
use crate::{error::Error, given_path::repository, paths};

pub(super) struct Renamer<'r> {
    workspace: &'r Workspace,
    scope: &'r Scope,
    /// The folders of all skills that are checked.
    folders: &'r BTreeSet<PathBuf>,
    /// By the folder that each is below.
    collections: BTreeMap<PathBuf, Collection>,
    /// Links in the folders of hosts.
    host_links: BTreeSet<PathBuf>,
    /// The paths that earlier renames lead to.
    taken: BTreeSet<PathBuf>,
}

impl<'r> Renamer<'r> {
    pub(super) fn new(
        workspace: &'r Workspace,
        scope: &'r Scope,
        folders: &'r BTreeSet<PathBuf>,
    ) -> Result<Renamer<'r>, Error> {
        let host_links = links::in_roots(workspace)?;
        Ok(Renamer { workspace, scope, folders, collections: BTreeMap::new(), host_links, taken: BTreeSet::new() })
    }

    /// Decides on some renames at once; an error is the reason why not.
    pub(super) fn decide(&mut self, renames: &[Rename]) -> Vec<Result<(), String>> {
        let mut verdicts: Vec<Result<(), String>> = renames.iter().map(|rename| self.claim(rename)).collect();
        let mut by_root: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
        for (index, rename) in renames.iter().enumerate().filter(|(index, _)| verdicts[*index].is_ok()) {
            by_root.entry(self.collection_root(&rename.from)).or_default().push(index);
        }
        for (root, indices) in by_root {
            let wanted: Vec<&Rename> = indices.iter().map(|index| &renames[*index]).collect();
            let collection = self.collections.entry(root.clone()).or_insert_with(|| Collection::read(&root));
            let references = collection.references(&wanted);
            let (is_whole, links) = (collection.is_whole, collection.links.clone());
            for ((index, rename), reference) in indices.into_iter().zip(wanted).zip(references) {
                verdicts[index] = match reference {
                    None if !is_whole => Err(format!(
                        "some files in {} could not be read, and one of them may refer to it",
                        paths::short(self.workspace, &root)
                    )),
                    Some(reference) => {
                        let file = paths::short(self.workspace, &reference.file);
                        Err(format!("{file}:{} refers to it", reference.line))
                    }
                    None => self.allows_links(rename, &links),
                };
            }
        }
        verdicts
    }

    /// Decides on a rename by its path alone. What it leads to is taken then: of two folders that want one name, the first
    /// gets it.
    fn claim(&mut self, rename: &Rename) -> Result<(), String> {
        self.allows(rename)?;
        self.taken.insert(rename.target());
        Ok(())
    }

    /// Returns the links that the renames of a plan have to change.
    pub(super) fn relinks(&self, plan: &Plan) -> Vec<Relink> {
        let links = self.collections.values().flat_map(|collection| &collection.links).chain(&self.host_links);
        let links: BTreeSet<&PathBuf> = links.collect();
        links::broken_by(plan, links)
    }

    /// Returns the folder whose files are searched for references: the repository, or else the folder above.
    fn collection_root(&self, path: &Path) -> PathBuf {
        let parent = path.parent().unwrap_or(path);
        repository(path).unwrap_or_else(|| {
            let above = path.ancestors().skip(1).take_while(|above| self.scope.has(above)).last();
            above.unwrap_or(parent).to_owned()
        })
    }

    fn allows(&self, rename: &Rename) -> Result<(), String> {
        let (from, target) = (&rename.from, rename.target());
        let refuse = |why: String| Err(why);
        if target.symlink_metadata().is_ok() {
            return refuse(format!("`{}` is already there", TerminalText(&rename.to)));
        }
        if self.taken.contains(&target) {
            return refuse(format!("another folder or file wants the name `{}` too", TerminalText(&rename.to)));
        }
        let Some(parent) = from.parent() else { return refuse("it is the root of the disk".to_owned()) };
        if !self.scope.has(parent) && !self.scope.is_base(from) {
            return refuse("it is outside of the paths given".to_owned());
        }
        if !from.is_dir() {
            return Ok(());
        }
        if let Some(why) = self.root_of_something(from) {
            return refuse(why.to_owned());
        }
        let is_below = |folder: &&PathBuf| folder.starts_with(from) && *folder != from;
        match self.folders.iter().find(is_below) {
            Some(inner) => refuse(format!("{} lies in it", paths::short(self.workspace, inner))),
            None => Ok(()),
        }
    }

    /// Says of what a folder is the root, if it is.
    fn root_of_something(&self, folder: &Path) -> Option<&'static str> {
        let environment = &self.workspace.environment;
        let holds = |path: &Path| paths::real(path).starts_with(folder);
        let current = std::env::current_dir().ok();
        if holds(&environment.cwd) || current.as_deref().is_some_and(holds) {
            return Some("it is the working folder, or holds it");
        }
        if folder.join(".git").symlink_metadata().is_ok() {
            return Some("it is the root of a repository");
        }
        let is_root = holds(&self.workspace.project) || environment.home.as_deref().is_some_and(holds);
        is_root.then_some("it is the root of a project")
    }

    /// Links to it have to be changed too; that is done only where files may be changed.
    fn allows_links(&self, rename: &Rename, links: &[PathBuf]) -> Result<(), String> {
        let plan = Plan { renames: vec![rename.clone()], ..Plan::default() };
        let broken = links::broken_by(&plan, links.iter().chain(&self.host_links));
        let is_outside = |link: &&Relink| !link.path.parent().is_some_and(|parent| self.scope.has(parent));
        match broken.iter().find(is_outside) {
            Some(link) => {
                let link = paths::short(self.workspace, &link.path);
                Err(format!("the link {link} leads to it, and is outside of the paths given"))
            }
            None => Ok(()),
        }
    }
}
