//! Describes what a place needs to know about which folders.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::path_steps::path_steps;

/// What a place needs to know about a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Interest {
    /// Skills are searched in it.
    pub(super) searched: bool,
    /// Every entry may change settings.
    pub(super) all: bool,
    /// Entries that matter, and whether they may change settings.
    pub(super) names: Vec<(OsString, bool)>,
}

impl Interest {
    pub(super) fn named(&self, name: &OsStr) -> Option<bool> {
        self.names.iter().find(|(own, _)| own == name).map(|(_, settings)| *settings)
    }

    pub(super) fn covers(&self, other: &Interest) -> bool {
        let includes = |(name, settings): &(OsString, bool)| self.named(name).is_some_and(|own| own || !settings);
        (self.searched || !other.searched) && (self.all || !other.all) && other.names.iter().all(includes)
    }
}

/// All folders that a place needs to know about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(super) folders: HashMap<PathBuf, Interest>,
}

impl Needs {
    /// Adds a folder that is searched for skills.
    pub(crate) fn watch_skills(&mut self, folder: &Path) {
        match self.folders.get_mut(folder) {
            Some(interest) => interest.searched = true,
            None => drop(self.folders.insert(folder.to_owned(), Interest { searched: true, ..Interest::default() })),
        }
    }

    /// Adds a folder in which every entry may change settings.
    pub(crate) fn watch_settings(&mut self, folder: &Path) {
        self.folders.entry(folder.to_owned()).or_default().all = true;
    }

    /// Adds the steps of a path and its target.
    pub(crate) fn watch_path(&mut self, path: &Path, settings: bool) {
        for (folder, name) in path_steps(path) {
            let names = &mut self.folders.entry(folder).or_default().names;
            match names.iter_mut().find(|(own, _)| *own == name) {
                Some((_, known)) => *known |= settings,
                None => names.push((name, settings)),
            }
        }
    }

    /// Returns whether a folder matters only as a step to other folders that are needed.
    pub(super) fn is_step(&self, path: &Path, interest: &Interest) -> bool {
        let leads_on = |(name, _): &(OsString, bool)| self.folders.contains_key(&path.join(name));
        !interest.searched && !interest.all && interest.names.iter().all(leads_on)
    }
}
