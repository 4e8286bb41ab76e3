//! Tells whether settings files are as they were when they were read.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Settings files, and what the system said of each before it was read.
#[derive(Clone, Debug, Default)]
pub struct SettingsStamps(Vec<(PathBuf, Option<Stamp>)>);

/// The file's number, when it last changed, and its size.
type Stamp = (u64, i64, i64, u64);

impl SettingsStamps {
    /// Looks at some files; one may be missing.
    pub(super) fn take(files: impl IntoIterator<Item = PathBuf>) -> SettingsStamps {
        SettingsStamps(files.into_iter().map(|file| (file.clone(), stamp(&file))).collect())
    }

    /// Keeps the stamps of these files only.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Path) -> bool) {
        self.0.retain(|(file, _)| is_kept(file));
    }

    /// Tells whether nothing happened to any of them.
    pub fn are_current(&self) -> bool {
        self.0.iter().all(|(file, known)| stamp(file) == *known)
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    let stat = std::fs::metadata(file).ok()?;
    Some((stat.ino(), stat.ctime(), stat.ctime_nsec(), stat.size()))
}
