//! A folder that is opened when somebody has to look into it: what is remembered needs no look.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// A folder that is opened when it is needed, and then once.
pub(super) struct Door<'d> {
    way: Way<'d>,
    flags: OFlags,
    opened: OnceLock<Result<OwnedFd, Errno>>,
}

enum Way<'d> {
    Path(&'d Path),
    Inside(&'d Door<'d>, &'d OsStr),
}

impl<'d> Door<'d> {
    /// Names a folder by its path.
    pub(super) fn at(path: &'d Path, flags: OFlags) -> Door<'d> {
        Door { way: Way::Path(path), flags, opened: OnceLock::new() }
    }

    /// Names a folder in another one, so that nothing can come between.
    pub(super) fn inside(outer: &'d Door<'d>, name: &'d OsStr, flags: OFlags) -> Door<'d> {
        Door { way: Way::Inside(outer, name), flags, opened: OnceLock::new() }
    }

    /// Returns the open folder.
    pub(super) fn fd(&self) -> Result<BorrowedFd<'_>, Errno> {
        let opened = self.opened.get_or_init(|| match self.way {
            Way::Path(path) => rustix::fs::open(path, self.flags, Mode::empty()),
            Way::Inside(outer, name) => rustix::fs::openat(outer.fd()?, name, self.flags, Mode::empty()),
        });
        opened.as_ref().map(|dir| dir.as_fd()).map_err(|error| *error)
    }
}
