//! Reads what a command left in the upper folder of its layer.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, Result};

/// What stands under a name.
#[derive(Debug)]
pub(super) enum Entry {
    /// Nothing any more: the kernel keeps a device without a number in its place.
    Removed,
    File(Mode),
    Folder(Mode),
    Link(PathBuf),
    /// A device, a pipe or a socket.
    Other,
}

/// Returns the names in a folder, in order.
pub(super) fn names(folder: BorrowedFd<'_>) -> Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Returns what stands under a name; nothing if there is nothing.
pub(super) fn stat(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Option<Stat>> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(None),
        found => found.map(Some),
    }
}

/// Returns what a command left under a name.
pub(super) fn entry(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Entry> {
    let found = stat(folder, name)?.ok_or(Errno::NOENT)?;
    let mode = Mode::from_raw_mode(found.st_mode);
    Ok(match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Entry::File(mode),
        FileType::Directory => Entry::Folder(mode),
        FileType::Symlink => Entry::Link(link(folder, name)?),
        FileType::CharacterDevice if found.st_rdev == 0 => Entry::Removed,
        _ => Entry::Other,
    })
}

/// Returns where a link leads.
pub(super) fn link(folder: BorrowedFd<'_>, name: &OsStr) -> Result<PathBuf> {
    let target = rustix::fs::readlinkat(folder, name, Vec::new())?;
    Ok(OsString::from_vec(target.into_bytes()).into())
}

/// Opens a file or folder. It is ours, so that its mode does not keep us out.
pub(super) fn open(folder: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            rustix::fs::chmodat(folder, name, Mode::RWXU, AtFlags::empty())?;
            rustix::fs::openat(folder, name, flags, Mode::empty())
        }
        opened => opened,
    }
}

/// Tells whether a folder took the place of one that was removed, so that nothing below it shows through.
pub(super) fn is_opaque(folder: impl AsFd) -> bool {
    let mut value = [0; 1];
    rustix::fs::fgetxattr(folder, "user.overlay.opaque", &mut value).is_ok_and(|length| length == 1 && value == *b"y")
}
