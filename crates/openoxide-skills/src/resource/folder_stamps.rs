//! Tells by stamps alone whether everything in a skill's folder is unchanged.

use std::os::fd::BorrowedFd;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::FileType;

use super::dir::{Extent, SkillDir};
use super::error::SnapshotError;
use super::stamp::{KERNEL_TICK, Stamp};
use super::walk::{Bounds, Visited, Visitor, failed};
use crate::text::path_text;

/// How many files and folders a skill may have: each is looked at every time.
const FILES: usize = 64;
/// File systems that are in this machine: ext4, xfs, btrfs, overlay, tmpfs.
#[cfg(target_os = "linux")]
const LOCAL: [i64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x794C_7630, 0x0102_1994];

/// What the system said about everything that a [`FolderSnapshot`](super::FolderSnapshot) of a skill is made of.
///
/// Whatever follows from a snapshot alone is right for as long as this is the same.
#[derive(Debug)]
pub struct FolderStamps(Vec<(PathBuf, Option<Stamp>)>);

impl FolderStamps {
    /// Looks at everything in a skill's folder, and at one more file that may be there or not; nothing if the folder has
    /// links, is large, or was changed a moment before `now`, or if one of both lies where looking can take long.
    pub fn of(folder: &Path, other: Option<PathBuf>, now: SystemTime) -> Option<FolderStamps> {
        if !is_local(folder) || !other.as_deref().is_none_or(is_local) {
            return None;
        }
        let mut look = StampVisitor { folder, seen: Vec::new() };
        // The skill's own folder is one of those that are looked at.
        let bounds = Bounds { entries: FILES - 1, depth: FILES };
        SkillDir::open(folder).and_then(|dir| dir.walk(Extent::Folder, bounds, &mut look)).ok()?;
        FolderStamps::settled(look.seen, other, now)
    }

    /// Looks at one file in a skill's folder, and at all folders on the way to it; nothing in the same cases.
    pub fn of_file(folder: &Path, below: &Path, other: Option<PathBuf>, now: SystemTime) -> Option<FolderStamps> {
        let is_plain = below.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || !is_local(folder) || !other.as_deref().is_none_or(is_local) {
            return None;
        }
        let file = folder.join(below);
        if !file.parent().is_some_and(is_local) {
            return None;
        }
        let on_the_way = file.ancestors().take(below.components().count() + 1);
        let seen: Option<Vec<_>> = on_the_way
            .map(|path| {
                let stamp = Stamp::at(path)?;
                let kind = if path == file { FileType::RegularFile } else { FileType::Directory };
                (stamp.kind() == kind).then(|| (path.to_owned(), Some(stamp)))
            })
            .collect();
        FolderStamps::settled(seen?, other, now)
    }

    fn settled(
        mut seen: Vec<(PathBuf, Option<Stamp>)>,
        other: Option<PathBuf>,
        now: SystemTime,
    ) -> Option<FolderStamps> {
        if let Some(path) = other {
            let stamp = Stamp::at(&path);
            // What changes behind a link is not seen at the link.
            if stamp.is_some_and(|stamp| stamp.kind() != FileType::RegularFile) {
                return None;
            }
            seen.push((path, stamp));
        }
        let mut stamps = seen.iter().filter_map(|(_, stamp)| *stamp);
        stamps.all(|stamp| stamp.is_settled(now, KERNEL_TICK)).then_some(FolderStamps(seen))
    }

    /// Tells whether all of it is as it was, at one system call for each file and folder.
    pub fn still_hold(&self) -> bool {
        self.0.iter().all(|(path, stamp)| Stamp::at(path) == *stamp)
    }
}

struct StampVisitor<'a> {
    folder: &'a Path,
    seen: Vec<(PathBuf, Option<Stamp>)>,
}

impl Visitor for StampVisitor<'_> {
    fn folder(&mut self, folder: BorrowedFd<'_>, path: &Path) -> Result<(), SnapshotError> {
        // Another file system may be mounted below.
        if !is_local_folder(folder) {
            return Err(SnapshotError::Escapes(path_text(path)));
        }
        let stat = rustix::fs::fstat(folder).map_err(|error| failed(path, error))?;
        // Joined with nothing, a path would end with a slash, and a link there would be followed.
        let whole = if path.as_os_str().is_empty() { self.folder.to_owned() } else { self.folder.join(path) };
        self.seen.push((whole, Some(Stamp::of(&stat))));
        Ok(())
    }

    fn file(&mut self, file: Visited<'_>) -> Result<(), SnapshotError> {
        self.seen.push((self.folder.join(&file.path), Some(Stamp::of(&file.stat()?))));
        Ok(())
    }

    // What a link leads to may lie anywhere.
    fn link(&mut self, link: Visited<'_>) -> Result<(), SnapshotError> {
        Err(SnapshotError::Escapes(path_text(&link.path)))
    }
}

/// Tells whether looking at a path, or at the folder that it would be in, asks nobody but this machine.
#[cfg(target_os = "linux")]
fn is_local(path: &Path) -> bool {
    path.ancestors().find_map(|path| rustix::fs::statfs(path).ok()).is_some_and(|system| is_one_of(&system))
}

#[cfg(target_os = "linux")]
fn is_local_folder(folder: BorrowedFd<'_>) -> bool {
    rustix::fs::fstatfs(folder).is_ok_and(|system| is_one_of(&system))
}

#[cfg(target_os = "linux")]
// The type of the field differs from machine to machine.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
fn is_one_of(system: &rustix::fs::StatFs) -> bool {
    LOCAL.contains(&(system.f_type as i64))
}

#[cfg(not(target_os = "linux"))]
fn is_local(_: &Path) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn is_local_folder(_: BorrowedFd<'_>) -> bool {
    false
}
