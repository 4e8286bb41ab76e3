//! Skills that lie in the folder of another skill.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::{fmt, path::Path};

/// Decides which skills inside other skills' folders a caller may not see. What is hidden is not read as a file of the outer
/// skill either.
pub trait InnerSkills: fmt::Debug + Send + Sync {
    /// Tells whether an open folder is a skill that is hidden; `path` is where it really lies.
    fn hides(&self, folder: BorrowedFd<'_>, path: &Path) -> bool;

    /// Tells whether an open file is a skill of its own that is hidden; `path` is where it really lies.
    fn hides_file(&self, file: OwnedFd, path: &Path) -> bool;

    /// Tells whether a metadata file in an open folder hides the skill that it belongs to.
    fn is_kept_by_metadata(&self, folder: BorrowedFd<'_>) -> bool;

    /// Tells whether a skill is hidden whose own file says this; `path` is where the file really lies.
    fn hides_text(&self, text: &[u8], whole: bool, path: &Path) -> bool;
}
