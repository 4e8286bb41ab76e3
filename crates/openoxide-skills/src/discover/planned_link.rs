//! A folder that is not there yet: a search can be asked what it would find with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A skill's folder that is to be put into another folder, by a link or as a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedLink {
    /// The folder that it is put into, as an agent knows it.
    pub folder: PathBuf,
    /// The same folder with links resolved.
    pub real_folder: PathBuf,
    /// Its name there.
    pub name: OsString,
    /// The skill's folder, with links resolved.
    pub source: PathBuf,
    /// Whether it is a copy.
    pub copy: bool,
}

impl PlannedLink {
    /// Tells whether it lies directly in a folder, links resolved.
    pub(crate) fn is_in(&self, folder: &Path) -> bool {
        self.real_folder == folder
    }

    /// Tells whether it makes a root that is not there yet.
    pub(crate) fn makes(&self, root: &Path) -> bool {
        self.folder == root || self.real_folder == root
    }
}
