//! Stamps files and folders, so that a change to a skill's folder is noticed without reading it again.
//!
//! A stamp says which file it is, how large, and when it was changed. The time of the last change of any kind cannot be
//! set by anyone, so whatever is written, replaced or given another mode gets another stamp; but for one case. Times
//! come from a clock that ticks, and what is changed twice within one tick has the same stamp after both. So a stamp is
//! relied on only if it was settled when it was taken: if the last change was longer ago than any tick.

use std::os::fd::BorrowedFd;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, RawMode, Stat};

use super::dir::{Extent, SkillDir};
use super::error::{Result, SnapshotError};
use super::walk::{FolderLimits, Visited, Visitor, failed};
use crate::text::path_text;

/// Longer than a tick of the kernel's clock, by which file systems of this machine go: 10 milliseconds at most.
const KERNEL_TICK: Duration = Duration::from_millis(100);
/// A tick of any file system: the coarsest count in steps of two seconds.
pub(super) const ANY_TICK: Duration = Duration::from_secs(2);
/// How many files and folders a skill may have: each is looked at every time.
const FILES: usize = 64;
/// File systems that are in this machine: ext4, xfs, btrfs, overlay, tmpfs.
#[cfg(target_os = "linux")]
const LOCAL: [i64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x794C_7630, 0x0102_1994];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    mode: RawMode,
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    // The types of these fields differ from system to system.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, clippy::cast_possible_wrap, clippy::cast_sign_loss)]
    pub(super) fn of(stat: &Stat) -> Stamp {
        Stamp {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            mode: stat.st_mode as RawMode,
            size: stat.st_size as i64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// Looks at a path; a link is looked at itself.
    pub(super) fn at(path: &Path) -> Option<Stamp> {
        rustix::fs::lstat(path).ok().map(|stat| Stamp::of(&stat))
    }

    pub(super) fn kind(self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    /// Tells whether the last change was long enough before `now` for the next one to have another time.
    pub(super) fn is_settled(self, now: SystemTime, tick: Duration) -> bool {
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1)) else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos));
        changed.and_then(|changed| now.duration_since(changed).ok()).is_some_and(|past| past >= tick)
    }
}

/// What the system said about everything that a [`FolderSnapshot`](super::FolderSnapshot) of a skill is made of.
///
/// Whatever follows from a snapshot alone is right for as long as this is the same.
#[derive(Debug)]
pub struct FolderStamps(Seen);

type Seen = Vec<(PathBuf, Option<Stamp>)>;

impl FolderStamps {
    /// Stamps everything in a skill's folder, and one more file, which may be missing. Returns nothing if the folder has
    /// links, is large, or changed a moment before `now`, or if one of both lies on a file system elsewhere.
    pub fn of(folder: &Path, other: Option<PathBuf>, now: SystemTime) -> Option<FolderStamps> {
        if !is_local(folder) || !other.as_deref().is_none_or(is_local) {
            return None;
        }
        let mut visitor = StampVisitor { folder, seen: Vec::new() };
        // The skill's own folder is one of those that are looked at.
        let limits = FolderLimits { entries: FILES - 1, depth: FILES, ..FolderLimits::SNAPSHOT };
        SkillDir::open(folder).and_then(|dir| dir.walk(Extent::Folder, &limits, &mut visitor)).ok()?;
        FolderStamps::settled(visitor.seen, other, now)
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
        let seen: Option<Seen> = on_the_way
            .map(|path| {
                let stamp = Stamp::at(path)?;
                let kind = if path == file { FileType::RegularFile } else { FileType::Directory };
                (stamp.kind() == kind).then(|| (path.to_owned(), Some(stamp)))
            })
            .collect();
        FolderStamps::settled(seen?, other, now)
    }

    fn settled(mut seen: Seen, other: Option<PathBuf>, now: SystemTime) -> Option<FolderStamps> {
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
    seen: Seen,
}

impl Visitor for StampVisitor<'_> {
    fn folder(&mut self, folder: BorrowedFd<'_>, path: &Path) -> Result<()> {
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

    fn file(&mut self, file: Visited<'_>) -> Result<()> {
        self.seen.push((self.folder.join(&file.path), Some(Stamp::of(&file.stat()?))));
        Ok(())
    }

    // What a link leads to may lie anywhere.
    fn link(&mut self, link: Visited<'_>) -> Result<()> {
        Err(SnapshotError::Escapes(path_text(&link.path)))
    }
}

/// Tells whether a path, or the folder that it would be in, lies on a file system of this machine.
fn is_local(path: &Path) -> bool {
    path.ancestors().find_map(|path| rustix::fs::statfs(path).ok()).is_some_and(|system| is_one_of(&system))
}

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
fn is_one_of(_: &rustix::fs::StatFs) -> bool {
    false
}
