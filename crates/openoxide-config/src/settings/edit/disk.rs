//! Settings files on disk: read within a size limit, locked, and replaced as a whole.

use std::fs::{File, Metadata, Permissions, TryLockError};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::error::EditError;
use crate::{SettingsOwner, files};

const MAX_FILE: u64 = 1024 * 1024;

/// Reads a file that is about to be edited; empty if there is none.
///
/// A project's file can be hostile: it is opened without following links, without waiting for a pipe, and read up to a
/// limit.
pub(super) fn read(path: &Path, owner: SettingsOwner) -> Result<String, EditError> {
    let odd = |why| EditError::Odd { path: path.to_owned(), why };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | link_flags(owner);
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(String::new()),
        Err(Errno::LOOP) => return Err(odd("it is a link; replace the link by a file of its own")),
        Err(error) => return Err(read_error(path, &error.into()).into()),
    };
    let stat = file.metadata().map_err(|error| read_error(path, &error))?;
    if !stat.is_file() {
        return Err(odd("it is no regular file; remove it, and a new one is written"));
    }
    let mut text = String::new();
    let read = file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(|error| read_error(path, &error))?;
    if u64::try_from(read).unwrap_or(u64::MAX) > MAX_FILE {
        return Err(odd("it is larger than 1 MiB; make it smaller by hand"));
    }
    Ok(text)
}

fn link_flags(owner: SettingsOwner) -> OFlags {
    match owner {
        SettingsOwner::User => OFlags::empty(),
        SettingsOwner::Project => OFlags::NOFOLLOW,
    }
}

fn read_error(path: &Path, error: &std::io::Error) -> std::io::Error {
    std::io::Error::new(error.kind(), format!("failed to read `{}`: {error}", path.display()))
}

/// Locks the folder of a file, because the file itself is replaced. Returns `None` if there is no folder yet.
pub(super) fn lock(path: &Path, owner: SettingsOwner) -> Result<Option<File>, EditError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY | link_flags(owner);
    let folder = match rustix::fs::open(folder, flags, Mode::empty()) {
        Ok(folder) => File::from(folder),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR) => {
            return Err(EditError::Odd {
                path: path.to_owned(),
                why: "what it is in is no folder, or a link; replace that by a folder of its own",
            });
        }
        Err(error) => return Err(read_error(folder, &error.into()).into()),
    };
    match files::lock(&folder) {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(EditError::Busy(path.to_owned())),
        // A filesystem without locks: the mutex of this process has to do.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Writes a file so that a reader sees the old text or the new one, never a part.
pub(super) fn write(path: &Path, owner: SettingsOwner, text: &str) -> std::io::Result<()> {
    let target = match owner {
        // A link stays a link: the file that it leads to is replaced.
        SettingsOwner::User => std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
        SettingsOwner::Project => path.to_owned(),
    };
    fs_err::create_dir_all(target.parent().unwrap_or(Path::new(".")))?;
    let existing = std::fs::symlink_metadata(&target).ok().filter(Metadata::is_file);
    let permissions = existing.map_or_else(|| Permissions::from_mode(0o644), |stat| stat.permissions());
    files::replace(&target, text, Some(permissions))
}
