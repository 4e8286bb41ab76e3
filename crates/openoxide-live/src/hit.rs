//! What happened to a place since it was looked at.

use std::collections::HashSet;
use std::path::PathBuf;

use openoxide_skills::Changes;

/// More paths than this cost more than looking at everything.
const TOUCHED_MAX: usize = 20_000;

/// What happened to a place since it was looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hit {
    /// Whether settings, or where the roots are, may be others.
    pub(crate) settings: bool,
    /// Whether anything may have happened.
    pub(crate) everything: bool,
    /// Whether something on the way to a link's end may lead elsewhere.
    pub(crate) ways: bool,
    touched: HashSet<PathBuf>,
    /// Folders that came, went or moved, so that what was watched there may be elsewhere.
    pub(crate) moved: HashSet<PathBuf>,
}

impl Hit {
    /// Anything may have happened.
    pub(crate) fn all() -> Hit {
        Hit { settings: true, everything: true, ways: true, ..Hit::default() }
    }

    /// Something may have happened in these folders before they were watched.
    pub(crate) fn before(folders: Vec<PathBuf>) -> Hit {
        let mut hit = Hit { settings: true, ..Hit::default() };
        for folder in folders {
            hit.touch(folder, false);
        }
        hit
    }

    pub(crate) fn touch(&mut self, path: PathBuf, moved: bool) {
        if self.everything {
            return;
        }
        if moved {
            self.moved.insert(path.clone());
        }
        self.touched.insert(path);
        if self.touched.len() > TOUCHED_MAX {
            self.everything = true;
            self.touched = HashSet::new();
            self.moved = HashSet::new();
        }
    }

    pub(crate) fn join(&mut self, other: Hit) {
        self.settings |= other.settings;
        self.everything |= other.everything;
        self.ways |= other.ways;
        for path in other.touched {
            let moved = other.moved.contains(&path);
            self.touch(path, moved);
        }
    }

    /// Says it to a search.
    pub(crate) fn touched(&self) -> Changes {
        match self.everything {
            true => Changes::Everything,
            false => Changes::Paths(self.touched.iter().cloned().collect()),
        }
    }
}
