//! Private files: written so that only their user can read them, and checked for that before they are used.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use openoxide_app::{ForeignWriter, SecretFileError, SecretPlace, check_folders, encoding::hex, read_secret};
use rustix::fs::OFlags;

/// The most bytes that are read of a private file.
const BYTES_MAX: u64 = 4096;

/// Reads a private file of ours; nothing if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, SecretFileError> {
    read_secret(path, SecretPlace::State, BYTES_MAX)
}

/// Checks every folder above: one that others can change lets them exchange the file.
fn check_above(path: &Path) -> Result<(), ForeignWriter> {
    check_folders(path, Some(Path::new("/")))
}

/// Makes a folder that is its user's alone, with those above it that are missing. One that others can change is refused.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    check_above(&folder.join("file")).map_err(|why| io::Error::other(format!("{why}; {}", why.help)))
}

/// Makes a file that was not there.
pub(super) fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Opens a file that is locked and never read, and makes it if there is none. A link or a pipe in its place is not opened.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let mut options = std::fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

/// Returns random bytes as hexadecimal digits.
pub(super) fn random<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}
