//! Skills that lie in the folder of another skill.

use std::{ffi::OsStr, fmt, os::fd::BorrowedFd};

/// Decides which skills inside other skills' folders a caller may not see. What is hidden is not read as a file of the outer
/// skill either.
pub trait InnerSkills: fmt::Debug + Send + Sync {
    /// Tells whether an open folder of this name is a skill that is hidden.
    fn hides(&self, folder: BorrowedFd<'_>, name: &OsStr) -> bool;
}
