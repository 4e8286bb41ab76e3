//! Files that several processes change: opened without blocking, locked, and replaced as a whole.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use openoxide_skills::ownership::is_ours;
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::write_dir::WriteDir;

/// How long to wait for another process. A change takes milliseconds, so that a longer wait means that it hangs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// How a file is opened whatever it is: without waiting for a pipe's other end.
const OPEN: OFlags = OFlags::CLOEXEC.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// Another process holds it for too long.
    #[error("another process holds the lock")]
    Busy,
    /// Something else stands where the lock is expected.
    #[error("`{}` cannot be the lock: {why}", path.display())]
    Odd { path: PathBuf, why: &'static str },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Opens a file for reading. The caller checks what it is: a pipe opens too.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    Ok(File::from(retry_on_intr(|| rustix::fs::open(path, OPEN | OFlags::RDONLY, Mode::empty()))?))
}

/// Opens a lock file in a folder, made if needed, and locks it. It stays when the lock ends: a process that waits for it has it
/// open.
pub(crate) fn lock_file(folder: &WriteDir, path: &Path) -> Result<File, LockError> {
    let odd = |why| LockError::Odd { path: path.to_owned(), why };
    let no_file = || odd("it is no regular file; remove it");
    let name = path.file_name().unwrap_or_default();
    let file = match folder.open_file(name, OFlags::RDWR | OFlags::CREATE) {
        Ok(file) => file,
        Err(Errno::LOOP) => return Err(odd("it is a link; remove it")),
        Err(Errno::NXIO | Errno::ISDIR | Errno::OPNOTSUPP) => return Err(no_file()),
        Err(error) => {
            let error = io::Error::from(error);
            return Err(io::Error::new(error.kind(), format!("cannot open `{}`: {error}", path.display())).into());
        }
    };
    let stat = file.metadata()?;
    if !stat.is_file() {
        return Err(no_file());
    }
    if stat.uid() != rustix::process::geteuid().as_raw() {
        return Err(odd("it belongs to another user; remove it"));
    }
    lock(&file)?;
    Ok(file)
}

/// Locks a file or folder, waiting for other processes.
///
/// [`File::lock`] waits without end, so this polls.
pub(crate) fn lock(file: &File) -> Result<(), LockError> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => return Err(LockError::Busy),
        }
    }
}

/// Returns the file that a path leads to, so that a link stays a link when the file is replaced.
///
/// A link that leads nowhere is refused: a file would be made in a place that nobody looks at.
pub(crate) fn destination(path: &Path) -> io::Result<PathBuf> {
    match std::fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => match path.symlink_metadata() {
            Ok(stat) if stat.is_symlink() => {
                let message = format!("`{}` is a link that leads nowhere; remove the link", path.display());
                Err(io::Error::new(ErrorKind::NotFound, message))
            }
            _ => Ok(path.to_owned()),
        },
        outcome => outcome,
    }
}

/// A file of the user's, found from the folder that it is in. Both are what they were when the file was found: nobody
/// leads what is read or written elsewhere by exchanging folders.
#[derive(Debug)]
pub(crate) struct HeldFile {
    pub(crate) folder: WriteDir,
    pub(crate) name: OsString,
}

impl HeldFile {
    /// Finds the user's own file, through links that the user made. The file and its folder must be the user's or root's.
    pub(crate) fn of_user(path: &Path) -> io::Result<HeldFile> {
        let target = destination(path)?;
        let parent = std::fs::canonicalize(parent_of(&target))?;
        let folder = WriteDir::open(&parent)?;
        if !is_ours(&folder.as_file()?.metadata()?) {
            let message = format!("`{}` belongs to another user, so nothing is written there", parent.display());
            return Err(io::Error::new(ErrorKind::PermissionDenied, message));
        }
        Ok(HeldFile { folder, name: target.file_name().unwrap_or_default().to_owned() })
    }

    /// Opens the file; nothing if there is none.
    pub(crate) fn open(&self) -> Result<Option<File>, Errno> {
        match self.folder.open_file(&self.name, OFlags::RDONLY) {
            Ok(file) => Ok(Some(file)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces the file. One that is there keeps its mode; another gets `mode`.
    pub(crate) fn replace(&self, text: &[u8], mode: u32) -> io::Result<()> {
        let existing = self.open().ok().flatten().and_then(|file| file.metadata().ok());
        let mode = existing.filter(Metadata::is_file).map_or(mode, |stat| stat.mode() & 0o777);
        self.folder.put_for_good(&self.name, text, mode)
    }
}

/// Makes a folder of the user's own and those above it that are missing. Whatever the umask is, no other user may write to
/// them: OpenOxide would not use them.
pub(crate) fn make_own_folders(folder: &Path) -> io::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o755).create(folder);
    made.map_err(|error| io::Error::new(error.kind(), format!("cannot make `{}`: {error}", folder.display())))
}

pub(crate) fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Replaces a file: after a crash at any point, the old or the new text is there, never a part. After an error, the old
/// one is there. A link in its place is replaced, not followed. The file can be read by its owner alone.
pub fn replace(target: &Path, text: &[u8]) -> io::Result<()> {
    WriteDir::follow(parent_of(target))?.put_for_good(target.file_name().unwrap_or_default(), text, 0o600)
}
