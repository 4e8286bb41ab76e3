//! Finds what there is to check: the folders of skills, and places that cannot be searched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::catalog::Problem;
use openoxide_skills::host::{FolderNames, Host, ScanRules};
use openoxide_skills::prelude::{Catalog, Code, Depth, Diagnostic, Entry, HostSettings, SkillScope, View, load};
use openoxide_skills::{judge::is_skill_folder, root::Root};

use crate::{Error, ErrorKind, list::unsearched, paths};

#[derive(Default)]
pub(super) struct Targets {
    /// The folders of the skills, in order.
    pub(super) folders: BTreeSet<PathBuf>,
    /// What is wrong with places that could not be searched.
    pub(super) places: BTreeMap<PathBuf, Diagnostic>,
    /// The folders that were named, links resolved: nothing outside is changed.
    pub(super) bases: Vec<PathBuf>,
    /// Those of them that were named by the file of a skill.
    pub(super) named_by_file: Vec<PathBuf>,
    /// The numbers of the hosts that find a skill where it lies, by its folder. One that none of them finds is not here.
    pub(super) finders: BTreeMap<PathBuf, BTreeSet<usize>>,
}

impl Targets {
    /// Finds the skills below some paths; without a path, every skill that one of the hosts finds.
    pub(super) fn find(workspace: &Workspace, views: &[View], paths: &[PathBuf]) -> Result<Targets, Error> {
        let mut targets = Targets::default();
        if paths.is_empty() {
            targets.add_roots(views);
        } else if views.len() > 1 {
            for (number, catalog) in load(views, Depth::Quick).iter().enumerate() {
                targets.add_finder(number, catalog);
            }
        }
        for path in paths {
            targets.add_path(workspace, views, path)?;
        }
        // A skill's own file is judged with the skill.
        let Targets { folders, places, .. } = &mut targets;
        places.retain(|path, _| !path.parent().is_some_and(|parent| folders.contains(parent)));
        Ok(targets)
    }

    /// Adds every skill that one of the hosts finds, single command files aside.
    fn add_roots(&mut self, views: &[View]) {
        for (number, catalog) in load(views, Depth::Thorough).iter().enumerate() {
            for entry in found(catalog) {
                self.add_entry(catalog, entry);
            }
            self.add_finder(number, catalog);
            self.add_unsearched(catalog);
        }
    }

    /// Notes what a host finds.
    fn add_finder(&mut self, number: usize, catalog: &Catalog) {
        for entry in found(catalog) {
            let boundary = &catalog.roots[entry.root].root.boundary;
            if let Some(folder) = entry.found().parent().and_then(|folder| boundary.resolve(folder)) {
                self.finders.entry(folder).or_default().insert(number);
            }
        }
    }

    fn add_path(&mut self, workspace: &Workspace, views: &[View], path: &Path) -> Result<(), Error> {
        let whole = workspace.environment.cwd.join(path);
        let missing = || {
            // Of several codes after `--select`, all but the first look like paths.
            let is_code = path.to_str().is_some_and(|text| Code::parse(text).is_some());
            let help = match (is_code, self.folder_called(path)) {
                (true, _) => "separate codes by commas: S0110,S0123".to_owned(),
                (false, Some(folder)) => format!("did you mean `{}`?", paths::short(workspace, folder)),
                (false, None) => "name a skill's folder, its file, or a folder of skills".to_owned(),
            };
            Error::other(ErrorKind::NotFound, "no-path", format!("`{}` is not there", path.display())).with_help(help)
        };
        let real = std::fs::canonicalize(&whole).map_err(|_| missing())?;
        let is_file = whole.symlink_metadata().is_ok_and(|stat| !(stat.is_dir() || stat.is_symlink() && real.is_dir()));
        let base = if is_file {
            whole.parent().and_then(|parent| std::fs::canonicalize(parent).ok())
        } else {
            Some(real.clone())
        };
        self.named_by_file.extend(base.clone().filter(|_| is_file));
        self.bases.extend(base);
        if is_file {
            self.folders.extend(whole.parent().and_then(|parent| std::fs::canonicalize(parent).ok()));
        } else if is_skill_folder(&real) {
            // A folder may be a skill and hold others.
            self.add_folder(workspace, views, &real);
            self.folders.insert(real);
        } else if !self.add_folder(workspace, views, &real) {
            let message = format!("there is no skill in `{}`", paths::short(workspace, &real));
            let help = "a skill is a folder with a `SKILL.md`";
            return Err(Error::other(ErrorKind::NotFound, "no-skill", message).with_help(help));
        }
        Ok(())
    }

    /// Returns the folder of a skill that some agent finds, by its name alone.
    fn folder_called(&self, name: &Path) -> Option<&Path> {
        self.finders.keys().map(PathBuf::as_path).find(|folder| folder.file_name() == Some(name.as_os_str()))
    }

    /// Adds what is in a folder; returns whether there is something.
    fn add_folder(&mut self, workspace: &Workspace, views: &[View], folder: &Path) -> bool {
        let Some(first) = views.first() else { return false };
        let mut scan = ScanRules { inside_skill: true, hidden: FolderNames::Enter, ..ScanRules::default() };
        scan.ignored = [".git", "node_modules"].map(str::to_owned).to_vec();
        let boundary = workspace.around().boundary_at(folder);
        let root = Root::plain(folder.to_owned(), SkillScope::Repo, scan, boundary);
        // Only this folder is searched, and none of those where the host looks.
        let host = Host { roots: Vec::new(), ..first.host.clone() };
        let view = View { roots: vec![root], settings: HostSettings::default(), host, ..first.clone() };
        let catalog = load(&[view], Depth::Thorough).remove(0);
        catalog.entries().for_each(|entry| self.add_entry(&catalog, entry));
        let places = self.add_unsearched(&catalog);
        places > 0 || catalog.entries().next().is_some()
    }

    /// Adds the folder that a skill was found in. One that is a link and leads where it may not is a place that could not
    /// be searched.
    fn add_entry(&mut self, catalog: &Catalog, entry: &Entry) {
        let Some(folder) = entry.found().parent() else { return };
        let boundary = &catalog.roots[entry.root].root.boundary;
        if let Some(real) = boundary.resolve(folder) {
            self.folders.insert(real);
        } else if folder.is_symlink() {
            self.places.insert(folder.to_owned(), boundary.refusal());
        }
    }

    /// Adds the places that a host could not search, and the limits that it ran into; returns how many places there are.
    fn add_unsearched(&mut self, catalog: &Catalog) -> usize {
        let is_limit = |problem: &&Problem| problem.diagnostic.code.is_limit();
        for limit in catalog.problems.iter().filter(is_limit) {
            self.places.insert(limit.path.clone(), limit.diagnostic.clone());
        }
        let places = unsearched(catalog).into_iter();
        places.map(|problem| self.places.insert(problem.path.clone(), problem.diagnostic.clone())).count()
    }
}

/// Returns the skills that a host finds, single command files aside.
fn found(catalog: &Catalog) -> impl Iterator<Item = &Entry> {
    let skills = catalog.entries().filter(|entry| !catalog.roots[entry.root].root.scan.layout.is_flat());
    skills.filter(|entry| entry.reason.as_ref().is_none_or(|reason| !reason.code.is_about_place()))
}
