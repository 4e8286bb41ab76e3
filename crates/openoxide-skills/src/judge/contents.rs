//! What lies in a skill's folder, by name and kind: found below its descriptor, through no link and to no other mount.

use std::ffi::OsString;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::discover::Listing;
use crate::resource::{is_left_out, open_straight};

/// Most names that are looked at.
const NAMES_MAX: usize = 5_000;
/// Deepest folder that is looked into.
const DEPTH_MAX: usize = 6;

/// The folders of a skill, its own first, each with what lies in it.
#[derive(Debug, Default)]
pub(super) struct Contents(pub(super) Vec<Folder>);

/// One folder.
#[derive(Debug)]
pub(super) struct Folder {
    /// Its path in the skill; empty for the skill's own.
    pub(super) path: PathBuf,
    /// Names in it, sorted, with what they are the names of.
    pub(super) entries: Vec<(OsString, FileType)>,
}

impl Contents {
    /// Lists a skill's folder, as far as is looked.
    pub(super) fn read(skill: BorrowedFd<'_>) -> Contents {
        let mut contents = Contents::default();
        let (mut ahead, mut room) = (vec![(PathBuf::new(), 0)], NAMES_MAX);
        while let Some((path, depth)) = ahead.pop() {
            let Ok((listing, _)) = open(skill, &path).and_then(|folder| Listing::read(folder.as_fd(), room)) else {
                continue;
            };
            let entries: Vec<(OsString, FileType)> = listing
                .iter()
                .filter(|(name, _)| !is_left_out(name))
                .map(|(name, kind)| (name.to_owned(), kind))
                .collect();
            room = room.saturating_sub(entries.len());
            let folders = entries.iter().filter(|(_, kind)| *kind == FileType::Directory && depth < DEPTH_MAX);
            ahead.extend(folders.rev().map(|(name, _)| (path.join(name), depth + 1)));
            contents.0.push(Folder { path, entries });
        }
        contents
    }

    /// Returns the paths of regular files in the skill.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.0.iter().flat_map(|folder| {
            let files = folder.entries.iter().filter(|(_, kind)| *kind == FileType::RegularFile);
            files.map(|(name, _)| folder.path.join(name))
        })
    }
}

/// Opens a folder of the skill. The skill's own is opened again: a descriptor can be listed once.
fn open(skill: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if path.as_os_str().is_empty() {
        return retry_on_intr(|| rustix::fs::openat(skill, c".", flags, Mode::empty()));
    }
    open_straight(skill, path, flags)
}
