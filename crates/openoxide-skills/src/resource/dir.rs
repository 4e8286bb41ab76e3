//! A skill's folder, held open: everything in it is resolved below its descriptor.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::io::{self, Errno};

use super::beneath::{self, FOLDER, READ};
use super::error::{Result, SnapshotError};
use super::path::is_left_out_path;
use crate::boundary::{Boundary, LinkRole, Mounts, Target, mount_of, true_path};
use crate::catalog::{Catalog, Entry};
use crate::{discover::Listing, host::Links};

/// A skill's folder, held open.
#[derive(Debug)]
pub struct SkillDir {
    fd: OwnedFd,
    pub(super) manifest: OsString,
    pub(super) extent: Extent,
    /// Where the skill's file led when it was found, if it was a link and its host follows it: nowhere else may it lead.
    leads_to: Option<LinkedFile>,
    /// Whether the folder was listed through this descriptor, which can be done once.
    listed: AtomicBool,
}

/// The file that a skill's own led to, and the rule that let it.
#[derive(Debug)]
struct LinkedFile {
    path: PathBuf,
    boundary: Boundary,
    mounts: Mounts,
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

    /// Opens a folder whose path was resolved before. If there is a link on the way now, somebody put it there since, and the
    /// folder is not opened.
    pub fn open_resolved(folder: &Path) -> Result<SkillDir> {
        let fd = beneath::open_whole(folder, FOLDER).map_err(unopened)?;
        Ok(SkillDir::held(fd, OsStr::new("SKILL.md"), Extent::Folder))
    }

    /// Opens the skill of a catalog's entry, by the rules of the root that it was found in.
    ///
    /// Its folder is the one that was found: if there is a link on the way to it now, or another mount, it is not opened. If
    /// its file was a link that the host follows, it is followed to the file that was found, and to no other. Other links
    /// that lead out are not followed. Where links led is judged again by the rule of the root.
    pub fn of(catalog: &Catalog, entry: &Entry) -> Result<SkillDir> {
        let (found, canonical) = (entry.found(), entry.canonical());
        let searched = catalog.roots.get(entry.root).ok_or(SnapshotError::Moved)?;
        let scan = &searched.root.scan;
        let extent = if scan.layout.is_flat() { Extent::File } else { Extent::Folder };
        let is_linked = canonical != found;
        // The folder of a file that is a link is where the link is, not where it leads.
        let is_link = || std::fs::symlink_metadata(found).is_ok_and(|found| found.is_symlink());
        let leads_to = (scan.file_links == Links::Follow && is_linked && is_link()).then(|| LinkedFile {
            path: canonical.to_owned(),
            boundary: searched.root.boundary.clone(),
            mounts: searched.mounts.clone(),
        });
        let (folder, name) = parts(if leads_to.is_some() { found } else { canonical });
        let fd = match leads_to {
            Some(_) => open_judged(&folder, &searched.root.boundary)?,
            None if is_linked => judged(beneath::open_whole(&folder, FOLDER), &searched.root.boundary)?,
            None => beneath::open_whole(&folder, FOLDER).map_err(unopened)?,
        };
        if !mount_of(fd.as_fd()).is_ok_and(|mount| searched.mounts.contains(&mount)) {
            return Err(SnapshotError::Moved);
        }
        Ok(SkillDir { leads_to, ..SkillDir::held(fd, &name, extent) })
    }

    pub(super) fn new(folder: &Path, manifest: &OsStr, extent: Extent) -> Result<SkillDir> {
        let fd = io::retry_on_intr(|| rustix::fs::open(folder, FOLDER, Mode::empty())).map_err(unopened)?;
        Ok(SkillDir::held(fd, manifest, extent))
    }

    fn held(fd: OwnedFd, manifest: &OsStr, extent: Extent) -> SkillDir {
        SkillDir { fd, manifest: manifest.to_owned(), extent, leads_to: None, listed: AtomicBool::new(false) }
    }

    /// Lets the skill's own file lead to another one, as if it had been found like that.
    #[cfg(test)]
    pub(super) fn lead_to(&mut self, path: &Path) {
        let boundary = Boundary::of_user(Vec::new(), crate::boundary::LinkPlaces::default());
        let mounts = Mounts::from_iter(Target::open(rustix::fs::CWD, path).map(|target| target.mount()));
        self.leads_to = Some(LinkedFile { path: path.to_owned(), boundary, mounts });
    }

    /// Lists the folder. A descriptor keeps its place in a listing, so each listing but the first needs one of
    /// its own; a skill is mostly listed once.
    pub(super) fn listing(&self, most: usize) -> io::Result<(Listing, bool)> {
        if self.listed.swap(true, Ordering::Relaxed) {
            let again = io::retry_on_intr(|| rustix::fs::openat(self.fd(), c".", FOLDER, Mode::empty()))?;
            return Listing::read(again.as_fd(), most);
        }
        Listing::read(self.fd(), most)
    }

    /// Opens the skill's own file. As a link it leads to another file of the skill, or to the one it led to when it was
    /// found; any other way is `XDEV`.
    pub(super) fn open_manifest(&self) -> io::Result<OwnedFd> {
        let opened = match self.extent {
            Extent::Folder => self.open_below(Path::new(&self.manifest), READ),
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
        if path == Path::new(&self.manifest) { self.open_manifest() } else { self.open_below(path, READ) }
    }

    /// Opens something in the folder, through links that stay there and do not lead to what is left out.
    pub(super) fn open_below(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        match beneath::open_straight(self.fd(), path, flags) {
            Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {}
            outcome => return outcome,
        }
        let opened = beneath::open(self.fd(), path, flags)?;
        let (top, there) = (true_path(self.fd())?, true_path(opened.as_fd())?);
        let belongs = there.strip_prefix(top).is_ok_and(|below| !is_left_out_path(below));
        if belongs { Ok(opened) } else { Err(Errno::NOENT) }
    }

    /// Opens the file that the skill's own led to, if it still does. Whatever the link is exchanged for, only that file is
    /// read: what it leads to is held first, and judged.
    fn open_target(&self, target: &LinkedFile) -> io::Result<OwnedFd> {
        let now = Target::open(self.fd(), Path::new(&self.manifest)).map_err(|error| match error {
            Errno::LOOP | Errno::MLINK => Errno::XDEV,
            error => error,
        })?;
        let is_same = now.path() == target.path && target.mounts.contains(&now.mount());
        if is_same && target.boundary.may_lead(&now, LinkRole::Found) { now.reopen(READ) } else { Err(Errno::XDEV) }
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Opens a folder whose path may have links, if they lead where they may.
fn open_judged(folder: &Path, boundary: &Boundary) -> Result<OwnedFd> {
    let target = Target::open_folder(folder, FOLDER).map_err(unopened)?;
    let may_be_read = boundary.may_be_root(folder, &target, LinkRole::Found);
    if may_be_read { Ok(target.into_fd()) } else { Err(SnapshotError::Moved) }
}

/// Judges a folder that a link led to when it was found.
fn judged(opened: io::Result<OwnedFd>, boundary: &Boundary) -> Result<OwnedFd> {
    let target = opened.and_then(Target::of).map_err(unopened)?;
    if boundary.may_lead(&target, LinkRole::Found) { Ok(target.into_fd()) } else { Err(SnapshotError::Moved) }
}

fn unopened(error: Errno) -> SnapshotError {
    SnapshotError::Folder(beneath::reason(error))
}

fn parts(file: &Path) -> (PathBuf, OsString) {
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    (folder.to_owned(), file.file_name().unwrap_or_default().to_owned())
}
