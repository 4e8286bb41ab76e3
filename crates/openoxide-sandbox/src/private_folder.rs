//! A folder that only its owner can enter, removed with its value or swept by a later process.
//!
//! It lies in the temporary folder: a home may be read-only, a runtime folder may be small or forbid to run programs, and
//! what a crash leaves there is gone after the next start of the machine at the latest. Others write to that folder too.
//! So it is made exclusively, its owner and mode are asked of its descriptor, and a lock says that it is in use.

mod empty;

use std::fs::{File, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{io, os::fd::AsFd, os::fd::BorrowedFd};

use openoxide_ownership::{is_ours, is_sticky, is_unmapped, others_write};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::process::geteuid;

/// What the names of all such folders begin with.
const PREFIX: &str = "openoxide-copy-";

/// Most entries of the temporary folder that are looked at for what was left.
const MOST_ENTRIES: usize = 10_000;

/// How often a folder is made anew if another process sweeps it away before it is locked.
const ATTEMPTS: usize = 16;

/// An empty folder that nobody else can enter. It is removed when this is dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    /// Held for its lock, and to compare with what the path leads to.
    open: File,
    path: PathBuf,
}

impl PrivateFolder {
    /// Makes one in the temporary folder. The first time, what killed processes left there is removed.
    pub fn new() -> io::Result<PrivateFolder> {
        static SWEEP: Once = Once::new();
        let parent = std::env::temp_dir();
        SWEEP.call_once(|| sweep(&parent));
        PrivateFolder::new_in(&parent)
    }

    fn new_in(parent: &Path) -> io::Result<PrivateFolder> {
        let parent = std::fs::canonicalize(parent).map_err(|error| at(parent, &error))?;
        if let Some(shared) = parent.ancestors().find(|folder| others_replace(folder)) {
            let why = "others can replace what is in it; set TMPDIR to a folder of your own, or `chmod +t` it";
            return Err(at(shared, &io::Error::new(io::ErrorKind::PermissionDenied, why)));
        }
        for _ in 0..ATTEMPTS {
            if let Some(folder) = PrivateFolder::attempt(&parent)? {
                folder.check()?;
                return Ok(folder);
            }
        }
        Err(io::Error::other(format!("{}: what is made there is removed again at once", parent.display())))
    }

    /// Makes and locks one; nothing if another process swept it away before it was locked.
    fn attempt(parent: &Path) -> io::Result<Option<PrivateFolder>> {
        let mode = Permissions::from_mode(0o700);
        let made = tempfile::Builder::new().prefix(PREFIX).permissions(mode.clone()).tempdir_in(parent)?;
        let open = match open(made.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            open => open?,
        };
        // What the umask took away.
        open.set_permissions(mode)?;
        let is_locked = rustix::fs::flock(&open, FlockOperation::NonBlockingLockExclusive).is_ok();
        let is_there = is_locked && std::fs::symlink_metadata(made.path()).is_ok();
        Ok(is_there.then(|| PrivateFolder { open, path: made.keep() }))
    }

    /// Returns its path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the path still leads to this folder, and that only its owner can enter it.
    pub fn check(&self) -> io::Result<()> {
        let (ours, there) = (self.open.metadata()?, open(self.path())?.metadata()?);
        let is_same = (ours.dev(), ours.ino()) == (there.dev(), there.ino());
        if is_same && is_private(&there) {
            return Ok(());
        }
        Err(at(self.path(), &io::Error::other("it is not the private folder that was made")))
    }
}

impl AsFd for PrivateFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.open.as_fd()
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What cannot be removed is tried again by the next sweep.
        let _ = remove(&self.open, &self.path);
    }
}

/// Removes a folder that is open, with all that is in it.
fn remove(folder: &File, path: &Path) -> io::Result<()> {
    empty::empty(folder.as_fd())?;
    std::fs::remove_dir(path)
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty()).map_err(|error| at(path, &error.into()))?.into())
}

fn is_private(folder: &Metadata) -> bool {
    folder.is_dir() && folder.uid() == geteuid().as_raw() && folder.mode() & 0o7777 == 0o700
}

/// Tells whether others can rename or remove what is ours in a folder.
pub(crate) fn others_replace(folder: &Path) -> bool {
    let Ok(found) = std::fs::symlink_metadata(folder) else { return true };
    let is_owned = is_ours(&found) || is_unmapped(found.uid());
    !(is_owned && (is_sticky(&found) || !others_write(folder, &found)))
}

/// Removes folders of ours that no process holds.
fn sweep(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().take(MOST_ENTRIES).flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            let _ = sweep_one(&entry.path());
        }
    }
}

fn sweep_one(path: &Path) -> io::Result<()> {
    let folder = open(path)?;
    if is_private(&folder.metadata()?) {
        rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
        remove(&folder, path)?;
    }
    Ok(())
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
