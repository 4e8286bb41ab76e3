//! A folder that is opened on first use, and then kept open: one whose contents are cached is never opened.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::{path::Path, sync::OnceLock};

use rustix::fs::{CWD, OFlags};
use rustix::io::Errno;

use crate::discover::open::{MountLog, open_plain};

/// How a folder is opened whose names are read.
pub(super) const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// A folder that is opened on first use. No link is followed on the way to it.
pub(super) struct LazyFolder<'d> {
    location: Location<'d>,
    mounts: &'d MountLog,
    opened: OnceLock<Result<OwnedFd, Errno>>,
}

enum Location<'d> {
    Open(BorrowedFd<'d>),
    Inside(&'d LazyFolder<'d>, &'d Path),
    Whole(&'d Path),
}

impl<'d> LazyFolder<'d> {
    pub(super) fn opened(folder: BorrowedFd<'d>, mounts: &'d MountLog) -> LazyFolder<'d> {
        LazyFolder { location: Location::Open(folder), mounts, opened: OnceLock::new() }
    }

    /// Names a folder by its path without links; it is not below the root, or nobody knows whether it is.
    pub(super) fn at(path: &'d Path, mounts: &'d MountLog) -> LazyFolder<'d> {
        LazyFolder { location: Location::Whole(path), mounts, opened: OnceLock::new() }
    }

    /// Names a folder below another one. It is opened from there, so no link can be put between the two.
    pub(super) fn inside(outer: &'d LazyFolder<'d>, below: &'d Path) -> LazyFolder<'d> {
        LazyFolder { location: Location::Inside(outer, below), mounts: outer.mounts, opened: OnceLock::new() }
    }

    pub(super) fn fd(&self) -> Result<BorrowedFd<'_>, Errno> {
        let flags = FOLDER | OFlags::NOFOLLOW;
        let opened = match self.location {
            Location::Open(fd) => return Ok(fd),
            Location::Inside(outer, below) => {
                self.opened.get_or_init(|| open_plain(outer.fd()?, below, flags, self.mounts))
            }
            Location::Whole(path) => self.opened.get_or_init(|| {
                let folder = open_plain(CWD, path, flags, self.mounts)?;
                self.mounts.note(folder.as_fd())?;
                Ok(folder)
            }),
        };
        opened.as_ref().map(|dir| dir.as_fd()).map_err(|error| *error)
    }
}
