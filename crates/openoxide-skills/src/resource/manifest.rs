//! Every file of a skill with its size and digest, computed again only for files that changed.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, FileType, OFlags, Stat};
use rustix::io::Errno;

use super::beneath::{self, READ};
use super::path::ResourcePath;
use super::snapshot::{LEFT_OUT, failed, hash};
use super::{Extent, SkillDir, SnapshotError};
use crate::discover::Listing;
use crate::host::ReadProblem;
use crate::text::path_text;

/// How long ago a file must have changed for its times to tell the next change: those of disks are coarse.
const SETTLED: Duration = Duration::from_secs(2);

/// Bounds on a skill whose files are told one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestLimits {
    /// Most files.
    pub files: usize,
    /// Most bytes of all files together.
    pub bytes: u64,
    /// Most entries, folders included.
    pub entries: usize,
    /// Most folders within each other.
    pub depth: usize,
}

impl Default for ManifestLimits {
    fn default() -> ManifestLimits {
        ManifestLimits { files: 512, bytes: 16 * 1024 * 1024, entries: 10_000, depth: 32 }
    }
}

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
    stamp: Stamp,
    /// Whether the stamp tells every later change.
    settled: bool,
}

impl ManifestFile {
    /// Returns the digest as text: `sha256:` and 64 hexadecimal digits.
    pub fn digest(&self) -> String {
        self.sha256.iter().fold("sha256:".to_owned(), |mut text, byte| {
            // Writing to a text cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl FileManifest {
    /// Finds a file by its path in the skill's folder.
    pub fn file(&self, path: &Path) -> Option<&ManifestFile> {
        let at = self.files.binary_search_by(|file| file.path.as_os_str().cmp(path.as_os_str())).ok()?;
        self.files.get(at)
    }
}

/// What tells that a file is not the one that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    // The types of these fields differ from system to system.
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, clippy::cast_possible_wrap, clippy::cast_sign_loss)]
    fn of(stat: &Stat) -> Stamp {
        Stamp {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: stat.st_size as i64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// Tells whether the file changed long enough ago.
    fn is_settled(self, now: SystemTime) -> bool {
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1)) else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos));
        changed.and_then(|changed| now.duration_since(changed).ok()).is_some_and(|past| past >= SETTLED)
    }
}

impl SkillDir {
    /// Tells every file of the skill. A file that is `known` and has the same device, inode, size and times as then is
    /// not read again; `now` tells which of these times can be relied on.
    pub fn file_manifest(
        &self,
        limits: &ManifestLimits,
        known: Option<&FileManifest>,
        now: SystemTime,
    ) -> Result<FileManifest, SnapshotError> {
        let mut walk = Walk { dir: self, limits, known, now, files: vec![], entries: 0, bytes: 0, buffer: vec![] };
        match self.extent {
            Extent::Folder => {
                let listing = self.listing(walk.most()).map_err(|error| failed(Path::new("."), error))?;
                walk.folder(self.fd(), &listing, Path::new(""), 0)?;
            }
            Extent::File => walk.entry(self.fd(), Path::new(""), &self.manifest, FileType::Unknown, 0)?,
        }
        let Walk { mut files, .. } = walk;
        files.sort_unstable_by(|left, right| left.path.as_os_str().cmp(right.path.as_os_str()));
        let manifest = FileManifest { files };
        match manifest.file(Path::new(&self.manifest)) {
            Some(_) => Ok(manifest),
            None => Err(SnapshotError::NoManifest { path: path_text(Path::new(&self.manifest)) }),
        }
    }
}

struct Walk<'a> {
    dir: &'a SkillDir,
    limits: &'a ManifestLimits,
    known: Option<&'a FileManifest>,
    now: SystemTime,
    files: Vec<ManifestFile>,
    entries: usize,
    bytes: u64,
    buffer: Vec<u8>,
}

impl Walk<'_> {
    fn most(&self) -> usize {
        self.limits.entries.saturating_sub(self.entries).saturating_add(1)
    }

    fn folder(
        &mut self,
        fd: BorrowedFd<'_>,
        (listing, cut): &(Listing, bool),
        prefix: &Path,
        depth: usize,
    ) -> Result<(), SnapshotError> {
        for (name, kind) in listing.iter().filter(|(name, _)| *name != LEFT_OUT) {
            self.entries += 1;
            if self.entries > self.limits.entries {
                return Err(SnapshotError::TooMany { limit: self.limits.entries });
            }
            self.entry(fd, prefix, name, kind, depth)?;
        }
        if *cut { Err(SnapshotError::TooMany { limit: self.limits.entries }) } else { Ok(()) }
    }

    fn entry(
        &mut self,
        fd: BorrowedFd<'_>,
        prefix: &Path,
        name: &OsStr,
        kind: FileType,
        depth: usize,
    ) -> Result<(), SnapshotError> {
        let path = prefix.join(name);
        let stat = || rustix::fs::statat(fd, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|error| failed(&path, error));
        let kind = if kind == FileType::Unknown { FileType::from_raw_mode(stat()?.st_mode) } else { kind };
        match kind {
            FileType::Directory => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let inner = beneath::open_name(fd, name, flags).map_err(|error| failed(&path, error))?;
                if depth >= self.limits.depth {
                    return Err(SnapshotError::TooDeep { path: path_text(&path), limit: self.limits.depth });
                }
                let listing = Listing::read(inner.as_fd(), self.most()).map_err(|error| failed(&path, error))?;
                self.folder(inner.as_fd(), &listing, &path, depth + 1)
            }
            FileType::Symlink => match self.behind(&path)? {
                Some(file) => self.opened(&file, path),
                None => Ok(()),
            },
            FileType::RegularFile => {
                let stamp = Stamp::of(&stat()?);
                if let Some(known) = self.remembered(&path, stamp) {
                    return self.add(known);
                }
                let file = beneath::open_name(fd, name, READ).map_err(|error| failed(&path, error))?;
                self.opened(&file, path)
            }
            _ => Err(SnapshotError::Special { path: path_text(&path) }),
        }
    }

    /// Opens what a link leads to, if that is a file of the skill, or the one that its own file is a link to.
    fn behind(&self, path: &Path) -> Result<Option<OwnedFd>, SnapshotError> {
        let is_own = path == Path::new(&self.dir.manifest);
        let opened = if is_own { self.dir.open_manifest() } else { beneath::open(self.dir.fd(), path, READ) };
        match opened {
            Ok(file) => {
                let stat = rustix::fs::fstat(&file).map_err(|error| failed(path, error))?;
                Ok((FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then_some(file))
            }
            Err(Errno::XDEV) if is_own => Err(SnapshotError::Escapes { path: path_text(path) }),
            Err(_) => Ok(None),
        }
    }

    /// Returns what is known of a file, if it is still the same.
    fn remembered(&self, path: &Path, stamp: Stamp) -> Option<ManifestFile> {
        let known = self.known?.file(path)?;
        (known.settled && known.stamp == stamp).then(|| known.clone())
    }

    /// Digests a file that is open, if it is not known.
    fn opened(&mut self, file: &OwnedFd, path: PathBuf) -> Result<(), SnapshotError> {
        let stat = rustix::fs::fstat(file).map_err(|error| failed(&path, error))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(SnapshotError::Special { path: path_text(&path) });
        }
        let stamp = Stamp::of(&stat);
        if let Some(known) = self.remembered(&path, stamp) {
            return self.add(known);
        }
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        self.room(&path, size)?;
        let hashed = hash(file, size, &mut self.buffer, |_| Ok(()));
        let (read, sha256) = hashed.map_err(|error| failed(&path, error))?;
        let after = rustix::fs::fstat(file).map_err(|error| failed(&path, error))?;
        if read != size || Stamp::of(&after) != stamp {
            return Err(SnapshotError::Changed { path: path_text(&path) });
        }
        self.add(ManifestFile { path, size, sha256, stamp, settled: stamp.is_settled(self.now) })
    }

    /// Refuses what is too much, before it is read.
    fn room(&self, path: &Path, size: u64) -> Result<(), SnapshotError> {
        if self.files.len() >= self.limits.files {
            return Err(SnapshotError::TooMany { limit: self.limits.files });
        }
        if self.bytes.saturating_add(size) > self.limits.bytes {
            return Err(SnapshotError::TooLarge { path: path_text(path), limit: self.limits.bytes });
        }
        Ok(())
    }

    fn add(&mut self, file: ManifestFile) -> Result<(), SnapshotError> {
        self.room(&file.path, file.size)?;
        self.bytes += file.size;
        self.files.push(file);
        Ok(())
    }
}

/// What is in a folder of a skill, as it is served: a name as it stands on disk, and whether it is a folder's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The name.
    pub name: OsString,
    /// Whether it is the name of a folder.
    pub is_folder: bool,
}

impl SkillDir {
    /// Tells what is in a folder of the skill, or in the skill's folder itself, by name as bytes: folders, and the files
    /// that its manifest has. The way to the folder leads through no link.
    pub fn children(&self, path: Option<&ResourcePath>, most: usize) -> Result<Vec<Child>, ReadProblem> {
        if self.extent == Extent::File {
            let own = Child { name: self.manifest.clone(), is_folder: false };
            return if path.is_some() { Err(ReadProblem::NotFound) } else { Ok(vec![own]) };
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let (prefix, listing) = match path {
            None => (Path::new(""), self.listing(most)),
            Some(path) => {
                let path = path.as_path();
                if path.iter().any(|name| name == LEFT_OUT) {
                    return Err(ReadProblem::NotFound);
                }
                let folder = beneath::open_plain(self.fd(), path, flags).map_err(|_| ReadProblem::NotFound)?;
                (path, Listing::read(folder.as_fd(), most))
            }
        };
        let (listing, _) = listing.map_err(|_| ReadProblem::Unreadable)?;
        let names = listing.iter().filter(|(name, _)| *name != LEFT_OUT);
        Ok(names.filter_map(|(name, kind)| self.child(prefix, name, kind)).collect())
    }

    fn child(&self, prefix: &Path, name: &OsStr, kind: FileType) -> Option<Child> {
        let is_folder = match kind {
            FileType::Directory => true,
            FileType::RegularFile => false,
            FileType::Symlink | FileType::Unknown => {
                let path = prefix.join(name);
                let is_own = path == Path::new(&self.manifest);
                let opened = if is_own { self.open_manifest() } else { beneath::open(self.fd(), &path, READ) };
                let stat = rustix::fs::fstat(opened.ok()?).ok()?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => false,
                    FileType::Directory if kind == FileType::Unknown => true,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(Child { name: name.to_owned(), is_folder })
    }
}
