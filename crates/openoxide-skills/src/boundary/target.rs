//! The object that a path leads to, held open without being read, with the facts that a link is judged by.

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::follow::{FollowedLink, HOLD, open_through_links};

/// What tells two mounts apart.
pub(crate) type MountId = u64;

/// What a path leads to, through links.
#[derive(Debug)]
pub(crate) struct Target {
    fd: OwnedFd,
    path: PathBuf,
    facts: Facts,
    /// The links on the way to it.
    links: Vec<FollowedLink>,
}

#[derive(Clone, Copy, Debug)]
struct Facts {
    kind: FileType,
    owner: u32,
    mount: MountId,
}

impl Target {
    /// Holds what `path` leads to from `dir`.
    pub(crate) fn open(dir: BorrowedFd<'_>, path: &Path) -> Result<Target, Errno> {
        Target::open_with(dir, path, HOLD)
    }

    /// Opens a folder whose names are read later.
    pub(crate) fn open_folder(path: &Path, flags: OFlags) -> Result<Target, Errno> {
        Target::open_with(rustix::fs::CWD, path, flags)
    }

    fn open_with(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<Target, Errno> {
        let opened = open_through_links(dir, path, flags)?;
        Ok(Target { links: opened.links, ..Target::of(opened.fd)? })
    }

    /// Asks what an open file or folder is, and where, if no link led to it.
    pub(crate) fn of(fd: OwnedFd) -> Result<Target, Errno> {
        Ok(Target { path: true_path(fd.as_fd())?, facts: facts(fd.as_fd())?, fd, links: Vec::new() })
    }

    /// Opens the same object for reading.
    pub(crate) fn reopen(&self, flags: OFlags) -> Result<OwnedFd, Errno> {
        if self.is_folder() {
            return retry_on_intr(|| rustix::fs::openat(&self.fd, c".", flags, Mode::empty()));
        }
        #[cfg(target_os = "linux")]
        return retry_on_intr(|| rustix::fs::open(self_fd(self.fd.as_fd()), flags, Mode::empty()));
        #[cfg(not(target_os = "linux"))]
        rustix::io::fcntl_dupfd_cloexec(&self.fd, 0)
    }

    /// Where it really is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.facts.kind == FileType::Directory
    }

    pub(crate) fn is_file(&self) -> bool {
        self.facts.kind == FileType::RegularFile
    }

    pub(crate) fn owner(&self) -> u32 {
        self.facts.owner
    }

    /// Tells whether nobody but its owner, or root, had a hand in the links that led to it: who cannot read a file must not
    /// have it read by a link that they made, or moved to where they like.
    pub(crate) fn is_linked_by_owner(&self) -> bool {
        let is_made = |link: &FollowedLink| link.owner == 0 || link.owner == self.facts.owner;
        let is_in_place = |link: &FollowedLink| link.holder == 0 || link.holder == link.owner;
        self.links.iter().all(|link| is_made(link) && is_in_place(link))
    }

    /// Tells whether only some users had a hand in the links that led to it.
    pub(super) fn is_linked_by(&self, is_one: impl Fn(u32) -> bool) -> bool {
        self.links.iter().all(|link| is_one(link.owner) && is_one(link.holder))
    }

    pub(crate) fn mount(&self) -> MountId {
        self.facts.mount
    }

    pub(crate) fn into_fd(self) -> OwnedFd {
        self.fd
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Returns the mount that an open file or folder lies on.
pub(crate) fn mount_of(fd: BorrowedFd<'_>) -> Result<MountId, Errno> {
    Ok(facts(fd)?.mount)
}

#[cfg(target_os = "linux")]
fn self_fd(fd: BorrowedFd<'_>) -> String {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

#[cfg(target_os = "linux")]
/// Asks the system where an open file or folder really is.
pub(crate) fn true_path(fd: BorrowedFd<'_>) -> Result<PathBuf, Errno> {
    let path = rustix::fs::readlink(self_fd(fd), Vec::with_capacity(256))?;
    Ok(PathBuf::from(OsString::from_vec(path.into_bytes())))
}

#[cfg(target_vendor = "apple")]
/// Asks the system where an open file or folder really is.
pub(crate) fn true_path(fd: BorrowedFd<'_>) -> Result<PathBuf, Errno> {
    let path = rustix::fs::getpath(fd)?;
    Ok(PathBuf::from(OsString::from_vec(path.into_bytes())))
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(crate) fn true_path(_: BorrowedFd<'_>) -> Result<PathBuf, Errno> {
    Err(Errno::NOSYS)
}

#[cfg(target_os = "linux")]
fn facts(fd: BorrowedFd<'_>) -> Result<Facts, Errno> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    // The number that is never used again, where the kernel has it (6.8); older ones answer with the other.
    let unique = StatxFlags::from_bits_retain(0x4000);
    let wanted = StatxFlags::TYPE | StatxFlags::UID | StatxFlags::MNT_ID | unique;
    match statx(fd, c"", AtFlags::EMPTY_PATH, wanted) {
        Ok(stat) if stat.stx_mask & (StatxFlags::MNT_ID | unique).bits() != 0 => Ok(Facts {
            kind: FileType::from_raw_mode(stat.stx_mode.into()),
            owner: stat.stx_uid,
            mount: stat.stx_mnt_id,
        }),
        _ => facts_by_device(fd),
    }
}

#[cfg(not(target_os = "linux"))]
fn facts(fd: BorrowedFd<'_>) -> Result<Facts, Errno> {
    facts_by_device(fd)
}

/// Where the system does not tell mounts apart, devices stand for them.
// The types of these fields differ from system to system.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless, clippy::cast_sign_loss)]
fn facts_by_device(fd: BorrowedFd<'_>) -> Result<Facts, Errno> {
    let stat = rustix::fs::fstat(fd)?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    Ok(Facts { kind, owner: stat.st_uid, mount: stat.st_dev as u64 })
}
