//! A file of settings on disk: read within bounds, changed by one at a time, and replaced as a whole.

use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::EditError;
use crate::switch::SettingsOwner;

/// How long to wait for another process; a change takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most bytes of a file that is changed.
const LARGEST: u64 = 1024 * 1024;

/// A file of settings, and whose it is.
///
/// That of a project came with the project: it is not followed where it leads elsewhere. The user's may be a link.
#[derive(Clone, Copy, Debug)]
pub struct SettingsFile<'p> {
    /// Where it is.
    pub path: &'p Path,
    /// Whose it is.
    pub owner: SettingsOwner,
}

impl SettingsFile<'_> {
    fn links(self) -> OFlags {
        match self.owner {
            SettingsOwner::User => OFlags::empty(),
            SettingsOwner::Project => OFlags::NOFOLLOW,
        }
    }
}

impl<'p> From<&'p Path> for SettingsFile<'p> {
    fn from(path: &'p Path) -> SettingsFile<'p> {
        SettingsFile { path, owner: SettingsOwner::User }
    }
}

impl<'p> From<&'p PathBuf> for SettingsFile<'p> {
    fn from(path: &'p PathBuf) -> SettingsFile<'p> {
        SettingsFile::from(path.as_path())
    }
}

/// Reads a file to be changed; empty if it is not there.
///
/// Settings of a project come with it. They are not followed where they lead elsewhere, not waited for, and not read
/// without end. Those of the user are the user's, who may keep them behind a link.
pub(super) fn read(file: SettingsFile<'_>) -> Result<String, EditError> {
    let path = file.path;
    let odd = |why| EditError::Odd { path: path.to_owned(), why };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | file.links();
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(String::new()),
        Err(Errno::LOOP) => return Err(odd("it is a link; replace the link by a file of its own")),
        Err(error) => return Err(named(path, &error.into()).into()),
    };
    let stat = file.metadata().map_err(|error| named(path, &error))?;
    if !stat.is_file() {
        return Err(odd("it is no regular file; remove it, and a new one is written"));
    }
    let mut text = String::new();
    let read = file.take(LARGEST + 1).read_to_string(&mut text).map_err(|error| named(path, &error))?;
    if u64::try_from(read).unwrap_or(u64::MAX) > LARGEST {
        return Err(odd("it is larger than 1 MiB; make it smaller by hand"));
    }
    Ok(text)
}

fn named(path: &Path, error: &std::io::Error) -> std::io::Error {
    std::io::Error::new(error.kind(), format!("failed to read `{}`: {error}", path.display()))
}

/// Waits until no other process changes a file of the same folder; nothing to wait for if there is no folder yet.
pub(super) fn lock(file: SettingsFile<'_>) -> Result<Option<File>, EditError> {
    let path = file.path;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY | file.links();
    let folder = match rustix::fs::open(folder, flags, Mode::empty()) {
        Ok(folder) => File::from(folder),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR) => {
            return Err(EditError::Odd {
                path: path.to_owned(),
                why: "what it is in is no folder, or a link; replace that by a folder of its own",
            });
        }
        Err(error) => return Err(named(folder, &error.into()).into()),
    };
    let start = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => return Err(EditError::Busy { path: path.to_owned() }),
            // A filesystem without locks: the turn within this process is what there is.
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Writes a file so that a reader sees the old text or the new, never a part.
pub(super) fn write(file: SettingsFile<'_>, text: &str) -> std::io::Result<()> {
    let target = match file.owner {
        // A link stays a link: the file that it leads to is replaced.
        SettingsOwner::User => std::fs::canonicalize(file.path).unwrap_or_else(|_| file.path.to_owned()),
        SettingsOwner::Project => file.path.to_owned(),
    };
    let folder = target.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    if let Some(stat) = std::fs::symlink_metadata(&target).ok().filter(std::fs::Metadata::is_file) {
        file.as_file().set_permissions(stat.permissions())?;
    } else {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
