//! Finds the skills around a skill: folders above it that are skills themselves.

use std::collections::HashMap;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{Mode, OFlags};

use crate::ownership::others_write;

/// Folders that were looked at, and whether they or a folder above them is a hidden skill.
#[derive(Debug, Default)]
pub struct OuterSkills {
    /// Nothing from here upward is asked for: what the user serves is meant to be seen.
    ends: Vec<PathBuf>,
    known: Mutex<HashMap<PathBuf, bool>>,
}

impl OuterSkills {
    /// Looks upward to these folders, which are not looked at themselves.
    pub fn below(ends: Vec<PathBuf>) -> OuterSkills {
        OuterSkills { ends, known: Mutex::default() }
    }

    /// Tells whether a folder, or one above it, is hidden.
    pub(super) fn hide(&self, folder: &Path, hides: &dyn Fn(BorrowedFd<'_>, &Path) -> bool) -> bool {
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return *known;
        }
        let is_hidden = !self.is_end(folder)
            && (is_hidden_itself(folder, hides) || folder.parent().is_some_and(|above| self.hide(above, hides)));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), is_hidden);
        is_hidden
    }

    /// Where other users make files, a file that hides skills can be anyone's.
    fn is_end(&self, folder: &Path) -> bool {
        let is_shared = || std::fs::metadata(folder).is_ok_and(|stat| others_write(folder, &stat));
        self.ends.iter().any(|end| end.as_os_str() == folder.as_os_str()) || is_shared()
    }
}

fn is_hidden_itself(folder: &Path, hides: &dyn Fn(BorrowedFd<'_>, &Path) -> bool) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = rustix::io::retry_on_intr(|| rustix::fs::open(folder, flags, Mode::empty()));
    // A folder that cannot be listed was not searched either: nothing in it was found by way of it.
    opened.is_ok_and(|opened| hides(opened.as_fd(), folder))
}
