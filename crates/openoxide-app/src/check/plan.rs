//! The changes that fixes make, planned in memory before one is made.

use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::diagnostic::Code;

use super::relink::Relink;
use crate::{diff, paths};

/// The changes that fixes make: first the edits, then the renames in order, then the links.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Changed files, by path.
    pub edits: Vec<FileEdit>,
    /// Renamed files and folders.
    pub renames: Vec<Rename>,
    /// Links that lead to the same thing under its new name.
    pub(super) relinks: Vec<Relink>,
}

/// A file with another text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// The file.
    pub path: PathBuf,
    /// Its text as it was read.
    pub before: Vec<u8>,
    /// Its text after the fixes.
    pub after: Vec<u8>,
    /// The fixes: what stood there, what stands there then, and the code of the finding.
    pub parts: Vec<(String, String, Code)>,
}

/// A file or folder under another name in the same folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The present path.
    pub from: PathBuf,
    /// The new name.
    pub to: String,
}

impl Rename {
    /// Returns the new path.
    pub fn target(&self) -> PathBuf {
        self.from.with_file_name(&self.to)
    }
}

impl Plan {
    /// Tells whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.renames.is_empty()
    }

    /// Returns how many findings it fixes.
    pub fn fixes(&self) -> usize {
        self.edits.iter().map(|edit| edit.parts.len()).sum::<usize>() + self.renames.len()
    }

    /// Returns where something is after the renames.
    pub(super) fn path_after(&self, path: &Path) -> PathBuf {
        let moved = |path: PathBuf, rename: &Rename| match path.strip_prefix(&rename.from) {
            Ok(rest) if rest.as_os_str().is_empty() => rename.target(),
            Ok(rest) => rename.target().join(rest),
            Err(_) => path,
        };
        self.renames.iter().fold(path.to_owned(), moved)
    }

    /// Returns the changes as a unified diff, with the headers that git has for renames.
    pub fn diff(&self, workspace: &Workspace) -> String {
        let edits = self.edits.iter().map(|edit| {
            let path = paths::short(workspace, &edit.path);
            diff::unified(&path, &String::from_utf8_lossy(&edit.before), &String::from_utf8_lossy(&edit.after))
        });
        let renames = self.renames.iter().map(|rename| {
            let (from, to) = (paths::short(workspace, &rename.from), paths::short(workspace, &rename.target()));
            format!("rename from {from}\nrename to {to}\n")
        });
        let links = self.relinks.iter().map(|link| format!("link {}\n", link.describe(workspace)));
        edits.chain(renames).chain(links).collect()
    }
}
