//! A skill's folder, held open: everything in it is resolved below its descriptor.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Mode};
use rustix::io::{self, Errno};

use super::beneath::{self, FOLDER, READ};
use super::error::{Result, SnapshotError};
use crate::catalog::{Catalog, Entry};
use crate::{discover::Listing, host::Links};

/// A skill's folder, held open.
#[derive(Debug)]
pub struct SkillDir {
    fd: OwnedFd,
    pub(super) manifest: OsString,
    pub(super) extent: Extent,
    /// Where the skill's file led when it was found, if it was a link and its host follows it: nowhere else may it lead.
    pub(super) leads_to: Option<PathBuf>,
    /// Whether the folder was listed through this descriptor, which can be done once.
    listed: AtomicBool,
}

/// What belongs to a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Everything in its folder.
    Folder,
    /// A single file, such as `deploy.md` in a folder of many; nothing beside it belongs to it.
    File,
}

impl SkillDir {
    /// Opens a folder whose skill is in `SKILL.md`.
    pub fn open(folder: &Path) -> Result<SkillDir> {
        SkillDir::new(folder, OsStr::new("SKILL.md"), Extent::Folder)
    }

    /// Opens the skill of a catalog's entry, by the rules of the root that it was found in.
    ///
    /// Its folder is the one that was found: if there is a link on the way to it now, it is not opened. If its file was a
    /// link that the host follows, it is followed to the file that was found, and to no other. Other links that lead out
    /// are not followed.
    pub fn of(catalog: &Catalog, entry: &Entry) -> Result<SkillDir> {
        let (found, canonical) = (entry.found(), entry.canonical());
        let scan = catalog.roots.get(entry.root).map(|searched| &searched.root.scan);
        let extent = if scan.is_some_and(|scan| scan.layout.is_flat()) { Extent::File } else { Extent::Folder };
        let follows = scan.is_some_and(|scan| scan.file_links == Links::Follow) && canonical != found;
        let leads_to = follows.then(|| canonical.to_owned());
        // The folder of a file that is a link is where the link is, not where it leads.
        let is_link = || std::fs::symlink_metadata(found).is_ok_and(|found| found.is_symlink());
        if follows && is_link() {
            let (folder, name) = parts(found);
            return Ok(SkillDir { leads_to, ..SkillDir::new(&folder, &name, extent)? });
        }
        let (folder, name) = parts(canonical);
        let fd = beneath::open_whole(&folder, FOLDER).map_err(unopened)?;
        Ok(SkillDir { leads_to, ..SkillDir::held(fd, &name, extent) })
    }

    pub(super) fn new(folder: &Path, manifest: &OsStr, extent: Extent) -> Result<SkillDir> {
        let fd = rustix::fs::open(folder, FOLDER, Mode::empty()).map_err(unopened)?;
        Ok(SkillDir::held(fd, manifest, extent))
    }

    fn held(fd: OwnedFd, manifest: &OsStr, extent: Extent) -> SkillDir {
        SkillDir { fd, manifest: manifest.to_owned(), extent, leads_to: None, listed: AtomicBool::new(false) }
    }

    /// Lists the folder. A descriptor keeps its place in a listing, so each listing but the first needs one of
    /// its own; a skill is mostly listed once.
    pub(super) fn listing(&self, most: usize) -> io::Result<(Listing, bool)> {
        if self.listed.swap(true, Ordering::Relaxed) {
            let again = rustix::fs::openat(self.fd(), c".", FOLDER, Mode::empty())?;
            return Listing::read(again.as_fd(), most);
        }
        Listing::read(self.fd(), most)
    }

    /// Opens the skill's own file. As a link it leads to another file of the skill, or to the one it led to when it was
    /// found; any other way is `XDEV`.
    pub(super) fn open_manifest(&self) -> io::Result<OwnedFd> {
        let opened = match self.extent {
            Extent::Folder => beneath::open(self.fd(), Path::new(&self.manifest), READ),
            // What lies beside it is not the skill's.
            Extent::File => beneath::open_name(self.fd(), &self.manifest, READ).map_err(|error| match error {
                Errno::LOOP | Errno::MLINK => Errno::XDEV,
                error => error,
            }),
        };
        match (opened, &self.leads_to) {
            (Err(Errno::XDEV), Some(target)) => self.open_target(target),
            (opened, _) => opened,
        }
    }

    /// Opens a file of the skill. Its own file may be a link as [`open_manifest`](SkillDir::open_manifest) says; other
    /// links are followed within the folder.
    pub(super) fn open_file_at(&self, path: &Path) -> io::Result<OwnedFd> {
        if path == Path::new(&self.manifest) { self.open_manifest() } else { beneath::open(self.fd(), path, READ) }
    }

    /// Opens the file that the skill's own led to, if it still does. The link itself is never opened: whatever it is
    /// exchanged for, only that file is read.
    fn open_target(&self, target: &Path) -> io::Result<OwnedFd> {
        let file = beneath::open_whole(target, READ).map_err(|error| match error {
            Errno::LOOP | Errno::MLINK => Errno::XDEV,
            error => error,
        })?;
        let (there, led) =
            (rustix::fs::fstat(&file)?, rustix::fs::statat(self.fd(), &*self.manifest, AtFlags::empty())?);
        if (there.st_dev, there.st_ino) == (led.st_dev, led.st_ino) { Ok(file) } else { Err(Errno::XDEV) }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn unopened(error: Errno) -> SnapshotError {
    SnapshotError::Folder(beneath::reason(error))
}

fn parts(file: &Path) -> (PathBuf, OsString) {
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    (folder.to_owned(), file.file_name().unwrap_or_default().to_owned())
}
