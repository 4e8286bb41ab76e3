//! Appends to the file of the audit log, which is private and rotated at a size.

use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fs_err::{File, os::unix::fs::OpenOptionsExt as _};

/// How large the file grows before it becomes an older part.
pub(super) const SIZE: u64 = 16 * 1024 * 1024;
/// How many older parts are kept.
pub(super) const PARTS: usize = 4;

pub(super) struct AuditFile {
    path: PathBuf,
    size: u64,
    open: Option<File>,
    /// Whether the log already says that it cannot be written.
    is_reported: bool,
    /// How often it could not be written.
    failed: Arc<AtomicU64>,
}

impl AuditFile {
    pub(super) fn new(path: PathBuf, size: u64, failed: Arc<AtomicU64>) -> AuditFile {
        AuditFile { path, size, open: None, is_reported: false, failed }
    }

    /// Appends whole lines. A failure is counted, and the first one is reported.
    pub(super) fn write(&mut self, lines: &[u8]) {
        let Err(error) = self.append(lines) else { return };
        self.failed.fetch_add(1, Ordering::Relaxed);
        if !self.is_reported {
            self.is_reported = true;
            let path = self.path.display();
            // Nobody can be told that stderr is closed.
            let _ = writeln!(io::stderr(), "warning: the audit log `{path}` cannot be written: {error}");
        }
    }

    /// Appends whole lines with one call, so that those of several servers never mix.
    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.is_full(lines.len() as u64)? {
            self.rotate()?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => none.insert(open(&self.path)?),
        };
        open.write_all(lines)
    }

    /// Tells whether the file has no room. An open file that is no longer at its path is closed.
    fn is_full(&mut self, more: u64) -> io::Result<bool> {
        let there = fs_err::symlink_metadata(&self.path);
        let Some(open) = &self.open else {
            return Ok(there.is_ok_and(|there| there.len() > 0 && there.len() + more > self.size));
        };
        let held = open.metadata()?;
        if !there.is_ok_and(|there| is_same(&there, &held)) {
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
        if is_same(&held.metadata()?, &fs_err::symlink_metadata(&self.path)?) {
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

fn is_same(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // A link may lead to another program's file.
    let no_links = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    fs_err::OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(no_links).open(path)
}
