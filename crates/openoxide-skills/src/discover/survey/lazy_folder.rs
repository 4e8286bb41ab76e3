//! Opens a folder when it is first looked into: a folder whose contents are cached is never opened.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// A folder that is opened on first use, and then kept open.
pub(super) struct LazyFolder<'d> {
    location: Location<'d>,
    flags: OFlags,
    opened: OnceLock<Result<OwnedFd, Errno>>,
}

enum Location<'d> {
    Path(&'d Path),
    Inside(&'d LazyFolder<'d>, &'d OsStr),
}

impl<'d> LazyFolder<'d> {
    /// Names a folder by its path.
    pub(super) fn at(path: &'d Path, flags: OFlags) -> LazyFolder<'d> {
        LazyFolder { location: Location::Path(path), flags, opened: OnceLock::new() }
    }

    /// Names a folder inside another one. It is opened from there, so no link can be put between the two.
    pub(super) fn inside(outer: &'d LazyFolder<'d>, name: &'d OsStr, flags: OFlags) -> LazyFolder<'d> {
        LazyFolder { location: Location::Inside(outer, name), flags, opened: OnceLock::new() }
    }

    /// Returns the open folder.
    pub(super) fn fd(&self) -> Result<BorrowedFd<'_>, Errno> {
        let opened = self.opened.get_or_init(|| match self.location {
            Location::Path(path) => rustix::fs::open(path, self.flags, Mode::empty()),
            Location::Inside(outer, name) => rustix::fs::openat(outer.fd()?, name, self.flags, Mode::empty()),
        });
        opened.as_ref().map(|dir| dir.as_fd()).map_err(|error| *error)
    }
}
