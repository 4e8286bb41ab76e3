//! Collects what may have changed at a place since its last refresh.

use std::collections::HashSet;
use std::path::PathBuf;

use openoxide_skills::catalog::Changes;

/// With more paths than this, searching everything is cheaper.
const MAX_TOUCHED: usize = 20_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct Dirty {
    /// Settings, or the paths of the roots, may have changed.
    pub(crate) settings: bool,
    /// Anything may have changed.
    pub(crate) everything: bool,
    /// A link on the way to a watched folder may lead elsewhere.
    pub(crate) links: bool,
    touched: HashSet<PathBuf>,
    /// Folders that were created, removed or moved, so that a watch on them may be on another folder now.
    pub(crate) moved: HashSet<PathBuf>,
}

impl Dirty {
    /// Anything may have changed.
    pub(crate) fn everything() -> Dirty {
        Dirty { settings: true, everything: true, links: true, ..Dirty::default() }
    }

    /// Only settings may have changed.
    pub(crate) fn of_settings() -> Dirty {
        Dirty { settings: true, ..Dirty::default() }
    }

    /// Something may have changed in these folders before they were watched.
    pub(crate) fn before_watching(folders: Vec<PathBuf>) -> Dirty {
        let mut dirty = Dirty::of_settings();
        for folder in folders {
            dirty.touch(folder, false);
        }
        dirty
    }

    /// Adds a path, and whether it is a folder whose watch may be on another folder now.
    pub(crate) fn touch(&mut self, path: PathBuf, moved: bool) {
        if self.everything {
            return;
        }
        if moved {
            self.moved.insert(path.clone());
        }
        self.touched.insert(path);
        if self.touched.len() > MAX_TOUCHED {
            self.everything = true;
            self.touched = HashSet::new();
            self.moved = HashSet::new();
        }
    }

    pub(crate) fn merge(&mut self, other: Dirty) {
        self.settings |= other.settings;
        self.everything |= other.everything;
        self.links |= other.links;
        for path in other.touched {
            let moved = other.moved.contains(&path);
            self.touch(path, moved);
        }
    }

    /// Returns the paths that a search has to visit again.
    pub(crate) fn changes(&self) -> Changes {
        if self.everything { Changes::Everything } else { Changes::Paths(self.touched.iter().cloned().collect()) }
    }
}
