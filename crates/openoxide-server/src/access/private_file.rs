//! Private files: written so that only their user can read them, and checked for that before they are used.

use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use openoxide_app::encoding::hex;
use rustix::fs::OFlags;

/// The most bytes that are read of a private file.
const BYTES_MAX: u64 = 4096;

/// What is wrong with a file that should be its user's alone.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotPrivate {
    #[error("it is a link")]
    Link,
    #[error("it is no regular file")]
    Kind,
    #[error("it belongs to another user (uid {0})")]
    Owner(u32),
    #[error("others can read or change it (mode {0:03o})")]
    Mode(u32),
    #[error("others can change the folder that it is in (mode {0:03o})")]
    Folder(u32),
    #[error(transparent)]
    Failed(#[from] io::Error),
}

/// Reads a private file; nothing if there is none. What is checked is the file that was opened.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, NotPrivate> {
    // Do not follow a link, and do not block on a pipe that has no writer.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let flags = flags.bits().cast_signed();
    // The other wrapper of files hides the number of an error.
    let file = match std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err(NotPrivate::Link);
        }
        Err(error) => return Err(error.into()),
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(NotPrivate::Kind);
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(NotPrivate::Owner(found.uid()));
    }
    if found.mode() & 0o077 != 0 {
        return Err(NotPrivate::Mode(found.mode() & 0o777));
    }
    check_folder(path)?;
    let mut bytes = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// A folder that others can change lets them exchange the file.
fn check_folder(path: &Path) -> Result<(), NotPrivate> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let mode = std::fs::metadata(folder)?.mode();
    if mode & 0o022 == 0 { Ok(()) } else { Err(NotPrivate::Folder(mode & 0o777)) }
}

/// Makes a folder that is its user's alone, with those above it that are missing.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes a file that was not there.
pub(super) fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Returns random bytes as hexadecimal digits.
pub(super) fn random<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}
