//! Reads a skill's folder once: its digest, what it is made of, and its own text, all from the same bytes.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use openoxide_ownership::this_user;
use rustix::fs::Stat;
use rustix::io::Errno;

use super::digest::{FileDigest, LinkDigest, TreeDigest, hash};
use super::dir::{Extent, SkillDir};
use super::error::{Result, SnapshotError};
use super::foreign::ForeignPart;
use super::walk::{FolderLimits, Visited, Visitor, failed, regular};
use crate::text::path_text;

/// A skill's folder at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderSnapshot {
    /// The digest of all of it.
    pub digest: TreeDigest,
    /// Its files, by path as bytes.
    pub files: Vec<FileDigest>,
    /// Its symbolic links, by path as bytes; what they lead to is digested only where it is in the folder itself.
    pub links: Vec<LinkDigest>,
    /// The bytes of the skill's own file, the same that were digested; cut at the limit.
    pub manifest: Vec<u8>,
    /// How large that file is.
    pub manifest_size: u64,
    /// What was read through the skill's own file, if that is a link.
    pub(super) linked_manifest: Option<FileDigest>,
    /// What of it another user owns or could write to when it was read; the first by path, the folder itself before all.
    pub foreign: Option<ForeignPart>,
}

impl SkillDir {
    /// Reads everything in the folder once. A folder with nothing but its `SKILL.md` takes eight system calls, and opening
    /// and closing the folder itself two more.
    pub fn snapshot(&self, limits: &FolderLimits) -> Result<FolderSnapshot> {
        self.snapshot_as(self.extent, limits)
    }

    /// Reads the skill's own file alone, where the folder as a whole cannot be read. Its digest is not the skill's.
    pub fn own_file(&self) -> Result<FolderSnapshot> {
        self.snapshot_as(Extent::File, &FolderLimits::SNAPSHOT)
    }

    fn snapshot_as(&self, extent: Extent, limits: &FolderLimits) -> Result<FolderSnapshot> {
        let own = Path::new(&self.manifest);
        let mut visitor = SnapshotVisitor {
            manifest: own,
            limits,
            files: vec![],
            links: vec![],
            bytes: 0,
            kept: None,
            buffer: vec![],
            user: this_user(),
            foreign: None,
        };
        if extent == Extent::File {
            // It is no part of the skill, but a user who can write to it can exchange the file.
            visitor.folder(self.fd(), Path::new(""))?;
        }
        self.walk(extent, limits, &mut visitor)?;
        let linked = visitor.links.iter().any(|link| link.path == own);
        let linked_manifest = if linked { Some(visitor.linked(self)?) } else { None };
        let SnapshotVisitor { mut files, mut links, kept, foreign, .. } = visitor;
        let (manifest, manifest_size) = kept.ok_or_else(|| SnapshotError::NoManifest(path_text(own)))?;
        files.sort_unstable_by(|left, right| left.path.as_os_str().cmp(right.path.as_os_str()));
        links.sort_unstable_by(|left, right| left.path.as_os_str().cmp(right.path.as_os_str()));
        let digest = TreeDigest::new(&files, &links, linked_manifest.as_ref());
        Ok(FolderSnapshot { digest, files, links, manifest, manifest_size, linked_manifest, foreign })
    }
}

struct SnapshotVisitor<'a> {
    manifest: &'a Path,
    limits: &'a FolderLimits,
    files: Vec<FileDigest>,
    links: Vec<LinkDigest>,
    bytes: u64,
    kept: Option<(Vec<u8>, u64)>,
    buffer: Vec<u8>,
    /// Who reads.
    user: u32,
    foreign: Option<ForeignPart>,
}

impl Visitor for SnapshotVisitor<'_> {
    fn folder(&mut self, folder: BorrowedFd<'_>, path: &Path) -> Result<()> {
        let stat = rustix::fs::fstat(folder).map_err(|error| failed(path, error))?;
        self.judge_owner(&stat, Some(folder), path);
        Ok(())
    }

    fn file(&mut self, file: Visited<'_>) -> Result<()> {
        let opened = file.open()?;
        let keep = file.path == self.manifest;
        let digest = self.digest(&opened, file.path, keep)?;
        self.files.push(digest);
        Ok(())
    }

    fn link(&mut self, link: Visited<'_>) -> Result<()> {
        let target = link.target()?;
        self.judge_owner(&link.stat()?, None, &link.path);
        self.links.push(LinkDigest { path: link.path, target });
        Ok(())
    }
}

impl SnapshotVisitor<'_> {
    fn judge_owner(&mut self, stat: &Stat, opened: Option<BorrowedFd<'_>>, path: &Path) {
        if self.foreign.as_ref().is_none_or(|foreign| path < &*foreign.path) {
            self.foreign = ForeignPart::of(stat, opened, path, self.user).or(self.foreign.take());
        }
    }

    /// Digests what the skill's own file leads to, if it is a link.
    fn linked(&mut self, dir: &SkillDir) -> Result<FileDigest> {
        let path = self.manifest.to_owned();
        let file = dir.open_manifest().map_err(|error| match error {
            Errno::XDEV => SnapshotError::Escapes(path_text(&path)),
            error => failed(&path, error),
        })?;
        self.digest(&file, path, true)
    }

    fn digest(&mut self, file: &OwnedFd, path: PathBuf, keep: bool) -> Result<FileDigest> {
        let stat = regular(file, &path)?;
        self.judge_owner(&stat, Some(file.as_fd()), &path);
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > self.limits.bytes {
            return Err(SnapshotError::TooLarge(self.limits.bytes, path_text(&path)));
        }
        let mut kept = Vec::new();
        let room = if keep { self.limits.manifest } else { 0 };
        let (read, sha256) = hash(file, size, &mut self.buffer, |chunk| {
            kept.extend_from_slice(&chunk[..chunk.len().min(room.saturating_sub(kept.len()))]);
            Ok(())
        })
        .map_err(|error| failed(&path, error))?;
        if read != size {
            return Err(SnapshotError::Changed(path_text(&path)));
        }
        if keep {
            self.kept = Some((kept, size));
        }
        Ok(FileDigest { path, size, executable: stat.st_mode & 0o111 != 0, sha256 })
    }
}
