//! Settings files on disk: found once, then read, locked and replaced from the folder that is held open.
//!
//! A project may belong to another user, who exchanges its folders while we write. So its file is found through no link,
//! and whatever becomes of the folder, nothing else is read or written.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::error::EditError;
use crate::SettingsOwner;
use crate::files::{self, HeldFile, LockError, parent_of};
use crate::write_dir::WriteDir;

const MAX_FILE: u64 = 1024 * 1024;

/// Reads a file that is about to be edited; empty if there is none.
pub(super) fn read(path: &Path, owner: SettingsOwner) -> Result<String, EditError> {
    match find(path, owner)? {
        Some(file) => read_held(path, &file),
        None => Ok(String::new()),
    }
}

/// A project's file can be hostile: it is opened without waiting for a pipe, and read up to a limit.
fn read_held(path: &Path, file: &HeldFile) -> Result<String, EditError> {
    let odd = |why| EditError::Odd { path: path.to_owned(), why };
    let file = match file.open() {
        Ok(Some(file)) => file,
        Ok(None) => return Ok(String::new()),
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

fn read_error(path: &Path, error: &std::io::Error) -> std::io::Error {
    std::io::Error::new(error.kind(), format!("failed to read `{}`: {error}", path.display()))
}

/// Finds a file, and holds its folder; nothing if there is no such folder. A project's is found through no link, the
/// user's through those that the user made.
fn find(path: &Path, owner: SettingsOwner) -> Result<Option<HeldFile>, EditError> {
    let found = match owner {
        SettingsOwner::User => HeldFile::of_user(path),
        SettingsOwner::Project => WriteDir::open(parent_of(path))
            .map(|folder| HeldFile { folder, name: path.file_name().unwrap_or_default().to_owned() }),
    };
    match found {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound && !parent_of(path).is_symlink() && !path.is_symlink() => {
            Ok(None)
        }
        Err(error) if is_no_folder(&error) => Err(odd_folder(path)),
        Err(error) => Err(read_error(path, &error).into()),
    }
}

fn is_no_folder(error: &std::io::Error) -> bool {
    [Errno::LOOP, Errno::NOTDIR].map(|error| Some(error.raw_os_error())).contains(&error.raw_os_error())
}

fn odd_folder(path: &Path) -> EditError {
    let why = "what it is in is no folder, or a link; replace that by a folder of its own";
    EditError::Odd { path: path.to_owned(), why }
}

/// A settings file whose folder is locked, because the file itself is replaced.
pub(super) struct LockedFile {
    path: PathBuf,
    file: HeldFile,
    /// Absent where the filesystem has no locks: the mutex of this process has to do.
    _lock: Option<File>,
    /// The folder around the one that was made for this change.
    made_in: Option<WriteDir>,
}

impl LockedFile {
    /// Finds a file, and locks its folder. The folder is made if needed: without it, the first changes of several processes
    /// would not wait for each other.
    pub(super) fn lock(path: &Path, owner: SettingsOwner) -> Result<LockedFile, EditError> {
        const TRIES: usize = 100;
        let mut made_in = None;
        for _ in 0..TRIES {
            made_in = make_folder(path, owner)?.or(made_in);
            let Some(file) = find(path, owner)? else { continue };
            let folder = file.folder.as_file()?;
            let lock = match files::lock(&folder) {
                Ok(()) => Some(folder),
                Err(LockError::Busy) => return Err(EditError::Busy(path.to_owned())),
                Err(_) => None,
            };
            let is_there = || find(path, owner).ok().flatten().is_some_and(|now| is_same(&now.folder, &file.folder));
            if lock.is_none() || is_there() {
                return Ok(LockedFile { path: path.to_owned(), file, _lock: lock, made_in });
            }
        }
        Err(EditError::Busy(path.to_owned()))
    }

    pub(super) fn read(&self) -> Result<String, EditError> {
        read_held(&self.path, &self.file)
    }

    /// Writes the file so that a reader sees the old text or the new one, never a part.
    pub(super) fn write(&self, text: &str) -> std::io::Result<()> {
        self.file.replace(text.as_bytes(), 0o644)
    }

    /// Removes the file because nothing is left in it. One that a link leads to stays, empty: the link would lead nowhere.
    pub(super) fn remove(&self) -> std::io::Result<()> {
        if self.path.is_symlink() { self.write("") } else { self.file.folder.remove(&self.file.name) }
    }

    /// Removes the folder if it is empty.
    pub(super) fn remove_folder(&self, owner: SettingsOwner) {
        let around = parent_of(parent_of(&self.path));
        let outer = match owner {
            SettingsOwner::User => WriteDir::follow(around),
            SettingsOwner::Project => WriteDir::open(around),
        };
        // One that is not empty, or a link, stays.
        let _ = outer.and_then(|outer| outer.remove_empty(folder_name(&self.path)));
    }

    /// Removes the folder again if it was made for a change that then was none.
    pub(super) fn remove_made(self) {
        if let Some(outer) = self.made_in {
            // One that is not empty stays.
            let _ = outer.remove_empty(folder_name(&self.path));
        }
    }
}

/// Makes the folder of a file if it is missing; returns the folder around it if it was.
fn make_folder(path: &Path, owner: SettingsOwner) -> Result<Option<WriteDir>, EditError> {
    let folder = parent_of(path);
    let outer = match owner {
        SettingsOwner::User if folder.is_dir() => return Ok(None),
        SettingsOwner::User => {
            files::make_own_folders(parent_of(folder))?;
            let outer = WriteDir::follow(parent_of(folder))?;
            return Ok(outer.make_own(folder_name(path))?.then_some(outer));
        }
        SettingsOwner::Project => WriteDir::open(parent_of(folder)).map_err(|error| match is_no_folder(&error) {
            true => odd_folder(path),
            false => read_error(folder, &error).into(),
        })?,
    };
    Ok(outer.make_one(folder_name(path))?.then_some(outer))
}

fn folder_name(path: &Path) -> &OsStr {
    parent_of(path).file_name().unwrap_or_default()
}

/// Tells whether two folders are the same one: another process may have removed the first.
fn is_same(left: &WriteDir, right: &WriteDir) -> bool {
    let identity = |folder: &WriteDir| {
        let of = |stat: Metadata| (stat.dev(), stat.ino());
        folder.as_file().and_then(|folder| folder.metadata()).ok().map(of)
    };
    identity(left).is_some_and(|left| Some(left) == identity(right))
}
