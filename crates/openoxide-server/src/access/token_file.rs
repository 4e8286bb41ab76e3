//! The file that holds a user's access token: one for all servers of that user, which stays until another is made.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use openoxide_app::SecretFileError;
use secrecy::{ExposeSecret as _, SecretString};

use super::private_file;

/// The file with the access token of this user.
#[derive(Clone, Debug)]
pub struct TokenFile {
    path: PathBuf,
}

/// What tells a file from the one that replaced it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenStamp {
    device: u64,
    number: u64,
    changed: (i64, i64),
}

/// Why there is no access token.
#[derive(Debug, thiserror::Error)]
pub enum TokenFileError {
    /// The file is not the user's alone, so anyone may know what is in it or may have written it.
    #[error("the access token in {} is not used: {why}", path.display())]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It can be neither read nor written.
    #[error("the access token in {} cannot be read or written", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl TokenFile {
    /// Returns the file below OpenOxide's own folder.
    pub fn below(home: &Path) -> TokenFile {
        TokenFile { path: home.join("state").join("token") }
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the token; makes one if there is none.
    pub fn read_or_make(&self) -> Result<SecretString, TokenFileError> {
        if let Some(token) = self.read()? {
            return Ok(token);
        }
        let text = private_file::random::<32>().map_err(|source| self.failed(source))?;
        // Two that begin at once agree on one: a link is made only where there is no file yet.
        let fresh = self.write_beside(&text).map_err(|source| self.failed(source))?;
        let linked = fs_err::hard_link(&fresh, &self.path);
        let _ = fs_err::remove_file(&fresh);
        match linked {
            Ok(()) => Ok(text.into()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // An empty file is one whose writing was cut off.
                self.read()?.map_or_else(|| self.renew(), Ok)
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Makes another token in place of the last, which then opens nothing more.
    pub fn renew(&self) -> Result<SecretString, TokenFileError> {
        let renewed = || {
            let text = private_file::random::<32>()?;
            // A new file that is renamed: a process with the old one open cannot read it, and nobody finds half of it.
            fs_err::rename(self.write_beside(&text)?, &self.path)?;
            Ok(text.into())
        };
        renewed().map_err(|source| self.failed(source))
    }

    /// Returns what the file is now; nothing if there is none.
    pub(super) fn stamp(&self) -> Option<TokenStamp> {
        let found = std::fs::symlink_metadata(&self.path).ok()?;
        Some(TokenStamp { device: found.dev(), number: found.ino(), changed: (found.ctime(), found.ctime_nsec()) })
    }

    pub(super) fn read(&self) -> Result<Option<SecretString>, TokenFileError> {
        let bytes = match private_file::read(&self.path) {
            Ok(bytes) => bytes,
            Err(SecretFileError::Io(source)) => return Err(self.failed(source)),
            Err(why) => return Err(TokenFileError::NotPrivate { path: self.path.clone(), why: why.to_string() }),
        };
        let text = bytes.map(|bytes| SecretString::from(String::from_utf8_lossy(&bytes).trim().to_owned()));
        // A file that was cut off holds no secret.
        Ok(text.filter(|text| !text.expose_secret().is_empty()))
    }

    fn write_beside(&self, text: &str) -> io::Result<PathBuf> {
        if let Some(folder) = self.path.parent() {
            private_file::make_folder(folder)?;
        }
        let fresh = self.path.with_extension(private_file::random::<8>()?);
        private_file::create(&fresh, text.as_bytes())?;
        Ok(fresh)
    }

    fn failed(&self, source: io::Error) -> TokenFileError {
        TokenFileError::Failed { path: self.path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs_err::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_token_stays_until_another_is_made_and_is_for_its_user_alone() {
        let root = tempfile::tempdir().unwrap();
        let file = TokenFile::below(root.path());
        let first = file.read_or_make().unwrap();
        assert_eq!(first.expose_secret().len(), 64);
        assert_eq!((mode(file.path()), mode(file.path().parent().unwrap())), (0o600, 0o700));
        assert_eq!(file.read_or_make().unwrap().expose_secret(), first.expose_secret());
        let second = file.renew().unwrap();
        assert_ne!(second.expose_secret(), first.expose_secret());
        assert_eq!(file.read_or_make().unwrap().expose_secret(), second.expose_secret());
        assert_eq!(mode(file.path()), 0o600);
        assert_eq!(fs_err::read_dir(file.path().parent().unwrap()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn a_file_that_others_can_reach_is_refused_with_the_reason() {
        let root = tempfile::tempdir().unwrap();
        let file = TokenFile::below(root.path());
        file.read_or_make().unwrap();
        let why = || file.read_or_make().unwrap_err().to_string();
        let set = |path: &Path, mode: u32| {
            fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        set(file.path(), 0o640);
        assert!(why().contains("others can read or change it (mode 640)"), "{}", why());
        set(file.path(), 0o600);
        let folder = file.path().parent().unwrap().to_owned();
        set(&folder, 0o777);
        assert!(why().contains("other users may write to the folder"), "{}", why());
        set(&folder, 0o700);
        let elsewhere = root.path().join("elsewhere");
        fs_err::rename(file.path(), &elsewhere).unwrap();
        symlink(&elsewhere, file.path()).unwrap();
        assert!(why().contains("it is a link"), "{}", why());
        fs_err::remove_file(file.path()).unwrap();
        fs_err::create_dir(file.path()).unwrap();
        assert!(why().contains("it is no regular file"), "{}", why());
    }
}
