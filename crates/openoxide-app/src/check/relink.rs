//! A symbolic link that gets another target, because what it leads to is renamed.

use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, WriteDir};

use crate::paths::short;

/// A link with another target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relink {
    /// Its present path, without links before its own name.
    pub(super) path: PathBuf,
    /// Its path after the renames.
    pub(super) path_after: PathBuf,
    /// What it leads to then.
    pub(super) target: PathBuf,
    /// What stands in it then.
    pub(super) text: PathBuf,
}

impl Relink {
    /// Puts the new link in the place of the old one in one step, so that there is always one.
    pub(super) fn make(&self) -> std::io::Result<()> {
        let parent = self.path_after.parent().unwrap_or(Path::new("/"));
        WriteDir::open(parent)?.relink(self.path_after.file_name().unwrap_or_default(), &self.text)
    }

    /// Says which link leads where, after a word such as `linked`.
    pub(super) fn describe(&self, workspace: &Workspace) -> String {
        format!("{} to {}", short(workspace, &self.path_after), short(workspace, &self.target))
    }
}
