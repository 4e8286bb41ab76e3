//! A skill's folder, held open: everything in it is resolved below its descriptor.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::io::{self, Errno};

use super::beneath::{self, FOLDER, READ};
use super::error::{Result, SnapshotError};
use super::path::is_left_out_path;
use crate::boundary::{Boundary, LinkRole, Mounts, Target, mount_of, true_path};
use crate::catalog::{Catalog, Entry, InnerSkills};
use crate::discover::{Listing, Prefix, read_opened_prefix};
use crate::host::Links;
use crate::root::EmbeddedSkills;

/// A skill's folder, held open.
#[derive(Debug)]
pub struct SkillDir {
    fd: OwnedFd,
    pub(super) manifest: OsString,
    pub(super) extent: Extent,
    /// Where the skill's file led when it was found, if it was a link and its host follows it: nowhere else may it lead.
    leads_to: Option<LinkedFile>,
    links: InnerLinks,
    /// Decides which skills inside this one's folder are hidden.
    inner: Option<Arc<dyn InnerSkills>>,
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

/// Where links inside a skill's folder may lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum InnerLinks {
    /// Anywhere in the folder.
    #[default]
    Followed,
    /// To the file that rules were asked about, by its path in the folder; nowhere if there was no link then.
    Judged(Option<PathBuf>),
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

    /// Opens a folder whose path was resolved before. If there is a link on the way now, it was put there since, and the
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
        if let Some(embedded) = &searched.embedded {
            return SkillDir::of_program(catalog, embedded, entry);
        }
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
        let inner = catalog.inner_skills.clone();
        let dir = SkillDir { leads_to, inner, ..SkillDir::held(fd, &name, extent) };
        // What was exchanged since the catalog was made may be a skill that its caller must not see.
        match dir.is_hidden() {
            true => Err(SnapshotError::Moved),
            false => Ok(dir),
        }
    }

    /// Opens a skill that was found inside the program, if it is written by now.
    fn of_program(catalog: &Catalog, embedded: &EmbeddedSkills, entry: &Entry) -> Result<SkillDir> {
        if !embedded.is_written() {
            return Err(SnapshotError::Unwritten);
        }
        let (folder, name) = parts(entry.canonical());
        Ok(SkillDir::new(&folder, &name, Extent::Folder)?.hiding(catalog))
    }

    /// Tells whether the skill itself is hidden, as its folder is now. What cannot be read is.
    fn is_hidden(&self) -> bool {
        let Some(inner) = &self.inner else { return false };
        let is_hidden_now = |text: Prefix| self.is_hidden_as(&text.bytes, text.whole);
        self.manifest_prefix().is_none_or(is_hidden_now)
            || (self.extent == Extent::Folder && inner.is_kept_by_metadata(self.fd()))
    }

    /// Tells whether the skill is hidden if its own file says this.
    pub fn is_hidden_as(&self, text: &[u8], whole: bool) -> bool {
        let Some(inner) = &self.inner else { return false };
        true_path(self.fd()).map_or(true, |path| inner.hides_text(text, whole, &path.join(&self.manifest)))
    }

    pub(super) fn new(folder: &Path, manifest: &OsStr, extent: Extent) -> Result<SkillDir> {
        let fd = io::retry_on_intr(|| rustix::fs::open(folder, FOLDER, Mode::empty())).map_err(unopened)?;
        Ok(SkillDir::held(fd, manifest, extent))
    }

    fn held(fd: OwnedFd, manifest: &OsStr, extent: Extent) -> SkillDir {
        let (manifest, listed) = (manifest.to_owned(), AtomicBool::new(false));
        SkillDir { fd, manifest, extent, leads_to: None, links: InnerLinks::Followed, inner: None, listed }
    }

    /// Says where links inside the folder may lead from now on.
    pub(super) fn follow(&mut self, links: InnerLinks) {
        self.links = links;
    }

    /// Hides skills that lie in the folder as a catalog says.
    #[must_use]
    pub fn hiding(self, catalog: &Catalog) -> SkillDir {
        SkillDir { inner: catalog.inner_skills.clone(), ..self }
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

    /// Reads the beginning of the skill's own file. Nothing: it cannot be read.
    pub(crate) fn manifest_prefix(&self) -> Option<Prefix> {
        read_opened_prefix(self.open_manifest())
    }

    /// Opens a file of the skill. Its own file may be a link as [`open_manifest`](SkillDir::open_manifest) says; other
    /// links are followed within the folder.
    pub(super) fn open_file_at(&self, path: &Path) -> io::Result<OwnedFd> {
        if path == Path::new(&self.manifest) { self.open_manifest() } else { self.open_below(path, READ) }
    }

    /// Opens something in the folder, through links that stay there and do not lead to what is left out or hidden.
    pub(super) fn open_below(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        match beneath::open_straight(self.fd(), path, flags) {
            Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {}
            Ok(_) if self.hides(path) => return Err(Errno::NOENT),
            outcome => return outcome,
        }
        let opened = beneath::open(self.fd(), path, flags)?;
        let below = self.path_of(&opened)?;
        if is_left_out_path(&below) || self.hides(&below) { Err(Errno::NOENT) } else { Ok(opened) }
    }

    /// Opens what a caller asked for. A link leads only where rules were asked about, if they were.
    pub(super) fn open_asked(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let opened =
            if path == Path::new(&self.manifest) { self.open_manifest() } else { self.open_below(path, flags) }?;
        let InnerLinks::Judged(target) = &self.links else { return Ok(opened) };
        match self.path_of(&opened) {
            Ok(there) if there != path && Some(&there) != target.as_ref() => Err(Errno::NOENT),
            // The skill's own file may lead out of the folder, where its host lets it.
            _ => Ok(opened),
        }
    }

    /// Returns where in the folder something lies that was opened; `NOENT` if it is elsewhere.
    fn path_of(&self, opened: &OwnedFd) -> io::Result<PathBuf> {
        let (top, there) = (true_path(self.fd())?, true_path(opened.as_fd())?);
        there.strip_prefix(top).map(Path::to_owned).map_err(|_| Errno::NOENT)
    }

    /// Returns the path in the folder that links in `path` lead to, if there are any.
    pub(super) fn target_of(&self, path: &Path) -> Option<PathBuf> {
        let opened = beneath::open(self.fd(), path, READ).ok()?;
        self.path_of(&opened).ok().filter(|target| target != path)
    }

    /// Returns the path in the folder that the skill's own file leads to, if it is a link.
    pub(super) fn manifest_target(&self) -> Option<PathBuf> {
        self.target_of(Path::new(&self.manifest))
    }

    /// Tells whether a path lies in a skill inside this one that the caller may not see.
    pub fn hides(&self, path: &Path) -> bool {
        let Some(inner) = &self.inner else { return false };
        let folders = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let is_hidden = |folder: &Path| {
            let Ok(opened) = beneath::open_straight(self.fd(), folder, FOLDER) else { return false };
            // Rules and switches mean a place: what has none that can be told cannot be judged.
            true_path(opened.as_fd()).map_or(true, |path| inner.hides(opened.as_fd(), &path))
        };
        folders.into_iter().any(is_hidden) || self.hides_file(path)
    }

    /// Tells whether a path is a single file that is a skill of its own, which the caller may not see.
    pub(super) fn hides_file(&self, path: &Path) -> bool {
        let Some(inner) = self.inner.as_ref().filter(|_| path != Path::new(&self.manifest)) else { return false };
        let is_markdown = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
        let Some(file) = is_markdown.then(|| beneath::open_straight(self.fd(), path, READ).ok()).flatten() else {
            return false;
        };
        true_path(file.as_fd()).map_or(true, |path| inner.hides_file(file, &path))
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
