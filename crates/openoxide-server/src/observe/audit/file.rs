//! Appends to the file of the audit log, which is private and rotated at a size.

use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fs_err::File;

/// How large the file grows before it becomes an older part.
pub(super) const SIZE: u64 = 16 * 1024 * 1024;
/// How many older parts are kept.
pub(super) const PARTS: usize = 4;

pub(super) struct AuditFile {
    path: PathBuf,
    size: u64,
    open: Option<File>,
    /// Whether it was said that it cannot be written.
    pub(super) told: bool,
    /// How often it could not be written.
    pub(super) failed: Arc<AtomicU64>,
}

impl AuditFile {
    pub(super) fn new(path: PathBuf, size: u64) -> AuditFile {
        AuditFile { path, size, open: None, told: false, failed: Arc::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends whole lines with one call, so that those of several servers never mix.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.is_full(lines.len() as u64)? {
            self.rotate()?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => none.insert(open(&self.path)?),
        };
        open.write_all(lines)
    }

    /// Whether the file has no room; one that is not at its place any more is let go.
    fn is_full(&mut self, more: u64) -> io::Result<bool> {
        let Some(open) = &self.open else {
            let there = fs_err::symlink_metadata(&self.path);
            return Ok(there.is_ok_and(|there| there.len() > 0 && there.len() + more > self.size));
        };
        let held = open.metadata()?;
        let is_there = fs_err::symlink_metadata(&self.path)
            .is_ok_and(|there| (there.dev(), there.ino()) == (held.dev(), held.ino()));
        if !is_there {
            self.open = None;
            return Ok(false);
        }
        Ok(held.len() > 0 && held.len() + more > self.size)
    }

    /// Makes the file an older part, unless another server has just done so.
    fn rotate(&mut self) -> io::Result<()> {
        let held = match self.open.take() {
            Some(open) => open,
            None => open(&self.path)?,
        };
        held.file().lock()?;
        let (ours, there) = (held.metadata()?, fs_err::symlink_metadata(&self.path)?);
        if (ours.dev(), ours.ino()) == (there.dev(), there.ino()) {
            let part = |number: usize| self.path.with_extension(format!("{number}.jsonl"));
            for number in (1..PARTS).rev() {
                match fs_err::rename(part(number), part(number + 1)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            fs_err::rename(&self.path, part(1))?;
        }
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut options = fs_err::OpenOptions::new();
    options.append(true).create(true);
    fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A link is somebody else's file.
    fs_err::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    options.open(path)
}
