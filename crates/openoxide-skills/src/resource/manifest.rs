//! Every file of a skill with its size and digest, computed again only for files that changed.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::{fs::FileType, io::Errno};

use super::SkillDir;
use super::digest::{Hex, hash};
use super::error::{Result, SnapshotError};
use super::media_type::{ContentCheck, ContentKind};
use super::stamps::{ANY_TICK, Stamp};
use super::walk::{FolderLimits, Visited, Visitor, failed, regular};
use crate::text::path_text;

/// Every file of a skill.
///
/// Links that lead to a file of the skill are files like any other; links that lead elsewhere or to a folder are not
/// there. Whatever is called `.git` is not there either.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileManifest {
    /// The files, by path as bytes.
    pub files: Vec<ManifestFile>,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestFile {
    /// Its path in the skill's folder.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// What is in it.
    pub content: ContentKind,
    stamp: Stamp,
    /// Whether the stamp tells every later change.
    settled: bool,
}

impl ManifestFile {
    /// Returns the digest as text: `sha256:` and 64 hexadecimal digits.
    pub fn digest(&self) -> String {
        format!("sha256:{}", Hex(&self.sha256))
    }
}

impl FileManifest {
    /// Finds a file by its path in the skill's folder.
    pub fn file(&self, path: &Path) -> Option<&ManifestFile> {
        let at = self.files.binary_search_by(|file| file.path.as_os_str().cmp(path.as_os_str())).ok()?;
        self.files.get(at)
    }
}

impl SkillDir {
    /// Lists every file of the skill. A file that is `known` and has the same device, inode, size and times as then is
    /// not read again; `now` tells which of these times can be relied on.
    pub fn file_manifest(
        &self,
        limits: &FolderLimits,
        known: Option<&FileManifest>,
        now: SystemTime,
    ) -> Result<FileManifest> {
        let (files, hidden, bytes, buffer) = (vec![], vec![], 0, vec![]);
        let mut visitor = ManifestVisitor { dir: self, limits, known, now, files, hidden, bytes, buffer };
        self.walk(self.extent, limits, &mut visitor)?;
        let ManifestVisitor { mut files, .. } = visitor;
        files.sort_unstable_by(|left, right| left.path.as_os_str().cmp(right.path.as_os_str()));
        let manifest = FileManifest { files };
        match manifest.file(Path::new(&self.manifest)) {
            Some(_) => Ok(manifest),
            None => Err(SnapshotError::NoManifest(path_text(Path::new(&self.manifest)))),
        }
    }
}

struct ManifestVisitor<'a> {
    dir: &'a SkillDir,
    limits: &'a FolderLimits,
    known: Option<&'a FileManifest>,
    now: SystemTime,
    files: Vec<ManifestFile>,
    /// Folders of skills inside this one that the caller may not see.
    hidden: Vec<PathBuf>,
    bytes: u64,
    buffer: Vec<u8>,
}

impl Visitor for ManifestVisitor<'_> {
    fn folder(&mut self, _: BorrowedFd<'_>, path: &Path) -> Result<()> {
        if !path.as_os_str().is_empty() && !self.is_hidden(path) && self.dir.hides(path) {
            self.hidden.push(path.to_owned());
        }
        Ok(())
    }

    fn file(&mut self, file: Visited<'_>) -> Result<()> {
        if self.is_hidden(&file.path) || self.dir.hides_file(&file.path) {
            return Ok(());
        }
        match self.remembered(&file.path, Stamp::of(&file.stat()?)) {
            Some(known) => self.add(known),
            None => self.opened(&file.open()?, file.path),
        }
    }

    fn link(&mut self, link: Visited<'_>) -> Result<()> {
        if self.is_hidden(&link.path) {
            return Ok(());
        }
        match self.behind(&link.path)? {
            Some(file) => self.opened(&file, link.path),
            None => Ok(()),
        }
    }
}

impl ManifestVisitor<'_> {
    fn is_hidden(&self, path: &Path) -> bool {
        self.hidden.iter().any(|folder| path.starts_with(folder))
    }

    /// Opens what a link leads to, if that is a file of the skill, or the one that its own file is a link to.
    fn behind(&self, path: &Path) -> Result<Option<OwnedFd>> {
        match self.dir.open_file_at(path) {
            Ok(file) => {
                let stat = rustix::fs::fstat(&file).map_err(|error| failed(path, error))?;
                Ok((FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then_some(file))
            }
            Err(Errno::XDEV) if path == Path::new(&self.dir.manifest) => Err(SnapshotError::Escapes(path_text(path))),
            Err(_) => Ok(None),
        }
    }

    /// Returns what is known of a file, if it is still the same.
    fn remembered(&self, path: &Path, stamp: Stamp) -> Option<ManifestFile> {
        let known = self.known?.file(path)?;
        (known.settled && known.stamp == stamp).then(|| known.clone())
    }

    /// Digests a file that is open, if it is not known.
    fn opened(&mut self, file: &OwnedFd, path: PathBuf) -> Result<()> {
        let stat = regular(file, &path)?;
        let stamp = Stamp::of(&stat);
        if let Some(known) = self.remembered(&path, stamp) {
            return self.add(known);
        }
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        self.room(&path, size)?;
        let mut content = ContentCheck::default();
        let hashed = hash(file, size, &mut self.buffer, |part| {
            content.take(part);
            Ok(())
        });
        let (read, sha256) = hashed.map_err(|error| failed(&path, error))?;
        let after = rustix::fs::fstat(file).map_err(|error| failed(&path, error))?;
        if read != size || Stamp::of(&after) != stamp {
            return Err(SnapshotError::Changed(path_text(&path)));
        }
        let (content, settled) = (content.kind(), stamp.is_settled(self.now, ANY_TICK));
        self.add(ManifestFile { path, size, sha256, content, stamp, settled })
    }

    /// Refuses what is too much, before it is read.
    fn room(&self, path: &Path, size: u64) -> Result<()> {
        if self.files.len() >= self.limits.files {
            return Err(SnapshotError::TooMany(self.limits.files));
        }
        if self.bytes.saturating_add(size) > self.limits.bytes {
            return Err(SnapshotError::TooLarge(self.limits.bytes, path_text(path)));
        }
        Ok(())
    }

    fn add(&mut self, file: ManifestFile) -> Result<()> {
        self.room(&file.path, file.size)?;
        self.bytes += file.size;
        self.files.push(file);
        Ok(())
    }
}
