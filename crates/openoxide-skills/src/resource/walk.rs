//! Walks a skill's folder within bounds and through no link, and hands each name to a visitor.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;

use super::beneath::{self, FOLDER, READ};
use super::dir::{Extent, SkillDir};
use super::error::{Result, SnapshotError};
use super::path::is_left_out;
use crate::{discover::Listing, text::path_text};

/// Bounds on a skill's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderLimits {
    /// Most entries, folders included.
    pub entries: usize,
    /// Most files, where they are listed one by one.
    pub files: usize,
    /// Most bytes of all files together.
    pub bytes: u64,
    /// Most folders within each other.
    pub depth: usize,
    /// Most bytes of the skill's own file that a snapshot keeps as its text.
    pub manifest: usize,
}

impl FolderLimits {
    /// For a folder that is digested.
    pub const SNAPSHOT: FolderLimits =
        FolderLimits { entries: 10_000, files: 10_000, bytes: 256 * 1024 * 1024, depth: 32, manifest: 1024 * 1024 };
    /// For a folder whose files are listed one by one.
    pub const LISTED: FolderLimits = FolderLimits { files: 512, bytes: 16 * 1024 * 1024, ..FolderLimits::SNAPSHOT };
}

pub(super) struct Visited<'w> {
    folder: BorrowedFd<'w>,
    pub(super) name: &'w OsStr,
    pub(super) path: PathBuf,
}

impl Visited<'_> {
    pub(super) fn stat(&self) -> Result<Stat> {
        let stat = rustix::fs::statat(self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW);
        stat.map_err(|error| failed(&self.path, error))
    }

    /// Opens a file, if it is one still.
    pub(super) fn open(&self) -> Result<OwnedFd> {
        beneath::open_name(self.folder, self.name, READ).map_err(|error| failed(&self.path, error))
    }

    /// Reads where a link leads, as it is written.
    pub(super) fn target(&self) -> Result<OsString> {
        let target = rustix::fs::readlinkat(self.folder, self.name, Vec::new());
        Ok(OsString::from_vec(target.map_err(|error| failed(&self.path, error))?.into_bytes()))
    }
}

/// Visits what is in a skill's folder. An error ends the walk.
pub(super) trait Visitor {
    /// Enters a folder, before anything in it is visited; the skill's own folder has an empty path.
    fn folder(&mut self, _folder: BorrowedFd<'_>, _path: &Path) -> Result<()> {
        Ok(())
    }

    /// Visits what was a regular file when its folder was listed.
    fn file(&mut self, file: Visited<'_>) -> Result<()>;

    /// Visits a link, which the walk does not follow.
    fn link(&mut self, link: Visited<'_>) -> Result<()>;
}

impl SkillDir {
    /// Leads a visitor through everything that belongs to the skill. Pipes, sockets and devices end the walk.
    pub(super) fn walk(&self, extent: Extent, limits: &FolderLimits, visitor: &mut impl Visitor) -> Result<()> {
        let mut walk = Walk { limits, entries: 0, visitor };
        match extent {
            Extent::Folder => {
                walk.visitor.folder(self.fd(), Path::new(""))?;
                let listing = self.listing(walk.most()).map_err(|error| failed(Path::new("."), error))?;
                walk.names(self.fd(), &listing, Path::new(""), 0)
            }
            Extent::File => {
                let visited = Visited { folder: self.fd(), name: &self.manifest, path: PathBuf::from(&self.manifest) };
                walk.entry(visited, FileType::Unknown, 0)
            }
        }
    }
}

struct Walk<'v, V> {
    limits: &'v FolderLimits,
    entries: usize,
    visitor: &'v mut V,
}

impl<V: Visitor> Walk<'_, V> {
    /// How many names of the next folder are worth reading: one more than is allowed, for the entry that is left out.
    fn most(&self) -> usize {
        self.limits.entries.saturating_sub(self.entries).saturating_add(1)
    }

    fn names(&mut self, folder: BorrowedFd<'_>, listing: &(Listing, bool), prefix: &Path, depth: usize) -> Result<()> {
        let (listing, cut) = listing;
        let too_many = SnapshotError::TooMany(self.limits.entries);
        for (name, kind) in listing.iter().filter(|(name, _)| !is_left_out(name)) {
            self.entries += 1;
            if self.entries > self.limits.entries {
                return Err(too_many);
            }
            self.entry(Visited { folder, name, path: prefix.join(name) }, kind, depth)?;
        }
        if *cut { Err(too_many) } else { Ok(()) }
    }

    fn entry(&mut self, visited: Visited<'_>, kind: FileType, depth: usize) -> Result<()> {
        // Some file systems do not say in a listing what a name is the name of.
        let kind = if kind == FileType::Unknown { FileType::from_raw_mode(visited.stat()?.st_mode) } else { kind };
        match kind {
            FileType::Directory => self.inner(&visited, depth + 1),
            FileType::Symlink => self.visitor.link(visited),
            FileType::RegularFile => self.visitor.file(visited),
            _ => Err(SnapshotError::Special(path_text(&visited.path))),
        }
    }

    fn inner(&mut self, Visited { folder, name, path }: &Visited<'_>, depth: usize) -> Result<()> {
        let inner = beneath::open_name(*folder, name, FOLDER).map_err(|error| failed(path, error))?;
        if depth > self.limits.depth {
            return Err(SnapshotError::TooDeep(self.limits.depth, path_text(path)));
        }
        self.visitor.folder(inner.as_fd(), path)?;
        let listing = Listing::read(inner.as_fd(), self.most()).map_err(|error| failed(path, error))?;
        self.names(inner.as_fd(), &listing, path, depth)
    }
}

/// Asks an open file what it is; anything but a regular one is refused.
pub(super) fn regular(file: &OwnedFd, path: &Path) -> Result<Stat> {
    let stat = rustix::fs::fstat(file).map_err(|error| failed(path, error))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(stat),
        _ => Err(SnapshotError::Special(path_text(path))),
    }
}

/// Says why an entry that a listing named cannot be read.
pub(super) fn failed(path: &Path, error: Errno) -> SnapshotError {
    let path = path_text(path);
    match error {
        // It was there when the folder was listed, and was no link.
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::STALE => SnapshotError::Changed(path),
        Errno::NXIO | Errno::OPNOTSUPP | Errno::NODEV => SnapshotError::Special(path),
        Errno::XDEV => SnapshotError::Mounted(path),
        error => SnapshotError::Unreadable { path, reason: beneath::reason(error) },
    }
}
