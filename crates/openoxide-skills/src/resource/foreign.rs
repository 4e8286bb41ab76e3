//! Finds what of a skill another user owns, or can write to.

use std::fmt;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use openoxide_ownership::{is_root_or, others_write_open};
use rustix::fs::{FileType, Stat};

use crate::text::path_text;

/// A part of a skill that belongs to neither the user nor root, or that other users can write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignPart {
    /// Its path in the skill's folder; the folder itself has an empty one.
    pub path: PathBuf,
    /// Whether another user owns it.
    pub is_theirs: bool,
}

impl ForeignPart {
    /// Judges what is open, or a link, which is not opened, for a user.
    #[allow(clippy::useless_conversion, reason = "a mode has 16 bits on macOS")]
    pub(super) fn of(stat: &Stat, opened: Option<BorrowedFd<'_>>, path: &Path, user: u32) -> Option<ForeignPart> {
        let is_theirs = !is_root_or(user, stat.st_uid);
        // The mode of a link means nothing.
        let is_link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
        let is_open = !is_link && others_write_open(opened, u32::from(stat.st_mode), stat.st_uid, stat.st_gid);
        (is_theirs || is_open).then(|| ForeignPart { path: path.to_owned(), is_theirs })
    }
}

impl fmt::Display for ForeignPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.path.as_os_str().is_empty() {
            true => "the skill's folder".to_owned(),
            false => format!("`{}`", path_text(&self.path)),
        };
        match self.is_theirs {
            true => write!(f, "{part} belongs to another user"),
            false => write!(f, "other users can write to {part}"),
        }
    }
}
