//! Files that hold a secret: read only if nobody else can read or change them, as ssh does with keys.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use openoxide_skills::ownership::{ForeignWriter, check_folders, is_ours};
use openoxide_skills::text::{TerminalText, path_text};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// Who says where a secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretPlace {
    /// OpenOxide put it there itself: a link is none of its making.
    State,
    /// A setting of the user's, who may have links.
    Setting,
    /// The command line, where a shell may put a pipe in the place of a file.
    Argument,
}

/// What is wrong with a file that should be its user's alone.
#[derive(Debug, thiserror::Error)]
pub enum SecretFileError {
    /// A link that is not followed.
    #[error("it is a link")]
    Link,
    /// A folder, a device or a socket.
    #[error("it is no regular file")]
    Irregular,
    /// Another user wrote it.
    #[error("it belongs to another user (uid {0})")]
    Owner(u32),
    /// Another user may know it, or have changed it.
    #[error("others can read or change it (mode {0:03o})")]
    Mode(u32),
    /// Another user may have exchanged it.
    #[error("{0}")]
    Folder(#[from] ForeignWriter),
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl SecretFileError {
    /// Returns the next step, if there is one.
    pub fn hint(&self, path: &Path) -> Option<String> {
        let shown = TerminalText(&path_text(path)).to_string();
        match self {
            SecretFileError::Mode(_) => Some(format!("chmod 600 {shown}; if others may have read it, make another")),
            SecretFileError::Owner(_) => Some("name a file of your own that only you can read".to_owned()),
            SecretFileError::Folder(why) => Some(why.help.clone()),
            _ => None,
        }
    }
}

/// Reads the first `max` bytes of a file with a secret; nothing if there is none. What is checked is the file that was
/// opened.
pub fn read_secret(path: &Path, place: SecretPlace, max: u64) -> Result<Option<Vec<u8>>, SecretFileError> {
    let file = match open(path, place) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => return Err(SecretFileError::Link),
        Err(error) => return Err(error.into()),
    };
    check(&file.metadata()?, place)?;
    check_above(path)?;
    match std::fs::canonicalize(path) {
        // What a link leads to has folders of its own.
        Ok(real) if real != path => check_above(&real)?,
        _ => {}
    }
    let mut bytes = Vec::new();
    file.take(max).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn open(path: &Path, place: SecretPlace) -> io::Result<File> {
    let flags = match place {
        SecretPlace::State => OFlags::NOFOLLOW | OFlags::NONBLOCK,
        SecretPlace::Setting => OFlags::NONBLOCK,
        // Opening a pipe would wait for its other end.
        SecretPlace::Argument => OFlags::empty(),
    };
    let flags = (flags | OFlags::NOCTTY | OFlags::CLOEXEC).bits().cast_signed();
    // The other wrapper of files hides the number of an error.
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

fn check(found: &Metadata, place: SecretPlace) -> Result<(), SecretFileError> {
    let is_pipe = place == SecretPlace::Argument && found.file_type().is_fifo();
    if !found.is_file() && !is_pipe {
        return Err(SecretFileError::Irregular);
    }
    let is_own = match place {
        SecretPlace::State => found.uid() == rustix::process::geteuid().as_raw(),
        SecretPlace::Setting | SecretPlace::Argument => is_ours(found),
    };
    if !is_own {
        return Err(SecretFileError::Owner(found.uid()));
    }
    match found.mode() & 0o777 {
        mode if mode & 0o077 != 0 => Err(SecretFileError::Mode(mode)),
        _ => Ok(()),
    }
}

/// Checks every folder above a file: one that others can change lets them exchange the file.
fn check_above(path: &Path) -> Result<(), ForeignWriter> {
    check_folders(path, Some(Path::new("/")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;

    fn set(path: &Path, mode: u32) {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn read(path: &Path, place: SecretPlace) -> Result<String, String> {
        let read = read_secret(path, place, 100).map_err(|why| format!("{why}; {:?}", why.hint(path)))?;
        Ok(String::from_utf8(read.unwrap_or_default()).unwrap())
    }

    #[test]
    fn nobody_else_reads_or_writes_a_secret_or_exchanges_it() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("token");
        fs_err::write(&file, "secret").unwrap();
        for place in [SecretPlace::State, SecretPlace::Setting, SecretPlace::Argument] {
            for mode in [0o644, 0o640, 0o620, 0o602, 0o666] {
                set(&file, mode);
                let why = read(&file, place).unwrap_err();
                assert!(why.contains(&format!("mode {mode:o}")) && why.contains("chmod 600 "), "{why}");
            }
            set(&file, 0o600);
            assert_eq!(read(&file, place).unwrap(), "secret");
            set(root.path(), 0o777);
            assert!(read(&file, place).unwrap_err().contains("other users may write to the folder"));
            set(root.path(), 0o700);
            assert!(read(root.path(), place).unwrap_err().contains("no regular file"));
            assert_eq!(read(&root.path().join("none"), place).unwrap(), "");
        }
        if chown(&file, Some(65_534), None).is_ok() {
            assert!(read(&file, SecretPlace::Argument).unwrap_err().contains("another user (uid 65534)"));
        }
    }

    #[test]
    fn the_user_names_links_and_what_they_lead_to_is_judged() {
        let root = tempfile::tempdir().unwrap();
        let (file, link) = (root.path().join("open/token"), root.path().join("link"));
        fs_err::create_dir(root.path().join("open")).unwrap();
        fs_err::write(&file, "secret").unwrap();
        set(&file, 0o600);
        symlink(&file, &link).unwrap();
        assert!(read(&link, SecretPlace::State).unwrap_err().contains("it is a link"));
        assert_eq!(read(&link, SecretPlace::Setting).unwrap(), "secret");
        set(&root.path().join("open"), 0o777);
        assert!(read(&link, SecretPlace::Setting).unwrap_err().contains("other users may write to the folder"));
    }
}
