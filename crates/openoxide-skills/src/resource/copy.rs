//! Copies exactly the bytes that were digested: what runs is this copy.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::{collections::BTreeSet, path::Path};

use rustix::fs::{Mode, OFlags};
use rustix::io::{self, Errno};

use super::beneath::{self, READ};
use super::error::{Result, SnapshotError};
use super::{FileDigest, FolderSnapshot, SkillDir};
use super::{digest::hash, walk::failed};
use crate::text::path_text;

impl SkillDir {
    /// Copies what `snapshot` digested to an open, empty folder. Nobody else can read or run any of it, whatever the umask is.
    ///
    /// Every file is digested again while it is copied, and one that is not what it was is an error. Links are copied as
    /// links, if they lead nowhere out of the copy; one that does is an error, for what is behind it was never digested.
    /// The skill's own file is a file in the copy even if it was a link. After an error the copy is not complete and
    /// must not be used.
    pub fn copy_to(&self, snapshot: &FolderSnapshot, folder: impl AsFd) -> Result<()> {
        let to = folder.as_fd();
        let linked = snapshot.linked_manifest.as_ref();
        let is_manifest = |path: &Path| linked.is_some_and(|file| file.path == path);
        let links: Vec<_> = snapshot.links.iter().filter(|link| !is_manifest(&link.path)).collect();
        make_folders(to, snapshot.files.iter().map(|file| &*file.path).chain(links.iter().map(|link| &*link.path)))?;
        let mut buffer = Vec::new();
        for file in &snapshot.files {
            let from = beneath::open(self.fd(), &file.path, READ | OFlags::NOFOLLOW);
            copy_file(from, to, file, &mut buffer)?;
        }
        if let Some(file) = linked {
            copy_file(self.open_manifest(), to, file, &mut buffer)?;
        }
        for link in &links {
            rustix::fs::symlinkat(&link.target, to, &link.path).map_err(|error| unwritten(&link.path, error))?;
        }
        links.iter().try_for_each(|link| stays(to, &link.path))
    }
}

fn make_folders<'p>(to: BorrowedFd<'_>, paths: impl Iterator<Item = &'p Path>) -> Result<()> {
    let folders: BTreeSet<&Path> = paths.flat_map(|path| path.ancestors().skip(1)).collect();
    for folder in folders.into_iter().filter(|folder| !folder.as_os_str().is_empty()) {
        let mode = Mode::from_raw_mode(0o700);
        // The second gives back what the umask took away.
        let made = rustix::fs::mkdirat(to, folder, mode)
            .and_then(|()| rustix::fs::chmodat(to, folder, mode, rustix::fs::AtFlags::empty()));
        made.map_err(|error| unwritten(folder, error))?;
    }
    Ok(())
}

fn copy_file(from: io::Result<OwnedFd>, to: BorrowedFd<'_>, file: &FileDigest, buffer: &mut Vec<u8>) -> Result<()> {
    let from = from.map_err(|error| match error {
        Errno::XDEV => SnapshotError::Changed(path_text(&file.path)),
        error => failed(&file.path, error),
    })?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(if file.executable { 0o700 } else { 0o600 });
    let target = rustix::fs::openat(to, &file.path, flags, mode).map_err(|error| unwritten(&file.path, error))?;
    rustix::fs::fchmod(&target, mode).map_err(|error| unwritten(&file.path, error))?;
    let mut written = Ok(());
    let (size, sha256) = hash(&from, file.size, buffer, |chunk| {
        written = write_all(&target, chunk);
        written
    })
    .map_err(|error| if written.is_err() { unwritten(&file.path, error) } else { failed(&file.path, error) })?;
    if (size, sha256) != (file.size, file.sha256) {
        return Err(SnapshotError::Changed(path_text(&file.path)));
    }
    Ok(())
}

fn write_all(target: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(target, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Refuses a link that leads out of the copy; one that leads nowhere is harmless.
fn stays(to: BorrowedFd<'_>, path: &Path) -> Result<()> {
    match beneath::open(to, path, READ) {
        Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
        Err(_) => Err(SnapshotError::Escapes(path_text(path))),
    }
}

fn unwritten(path: &Path, error: Errno) -> SnapshotError {
    SnapshotError::NotWritten { path: path_text(path), reason: beneath::reason(error) }
}
