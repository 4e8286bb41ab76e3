//! The trust file on disk: read without blocking, changed under a lock, replaced as a whole.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use openoxide_skills::diagnostic::{Code, Diagnostic};
use openoxide_skills::ownership::{check_owner, is_ours};
use rustix::io::Errno;
use toml_edit::DocumentMut;

use super::parse::{damaged, parse};
use super::{error::TrustError, record::TrustEntry};
use crate::document::{self, Writers, json::JsonDialect};
use crate::files::{self, HeldFile, LockError};
use crate::write_dir::WriteDir;

const MAX_FILE: u64 = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) path: PathBuf,
    /// The user's home: nobody else may write to the folders from there to the file.
    home: Option<PathBuf>,
}

impl Store {
    /// The store in OpenOxide's own folder.
    pub(super) fn new(own: &Path, home: Option<&Path>) -> Store {
        Store { path: own.join("state").join("trust.toml"), home: home.map(Path::to_owned) }
    }

    /// Reads the file; a missing one is empty.
    pub(super) fn read(&self) -> Result<String, Diagnostic> {
        match files::open(&self.path) {
            Ok(file) => self.text(file),
            Err(error) if error.kind() == ErrorKind::NotFound => self.missing(),
            Err(error) => Err(damaged(format!("the file cannot be read: {error}"))),
        }
    }

    /// Returns an empty text, unless there is a link that leads nowhere: what the file denied is not known then. The rule is
    /// that of settings.
    fn missing(&self) -> Result<String, Diagnostic> {
        let owners = Writers::UserOrRoot(self.home.as_deref());
        let read = document::read(&self.path, Code::ConfigInvalid, JsonDialect::Strict, owners, None);
        match files::open(&self.path) {
            // Another process has just made it.
            Ok(file) => self.text(file),
            Err(_) => read.map(|_| String::new()).map_err(|problem| damaged(problem.message)),
        }
    }

    fn text(&self, file: File) -> Result<String, Diagnostic> {
        let stat = file.metadata().map_err(|error| damaged(format!("the file cannot be read: {error}")))?;
        if !stat.is_file() {
            return Err(damaged("this is not a file".to_owned()));
        }
        check_owner(&self.path, &stat, self.home.as_deref()).map_err(|why| damaged(why.message).help(why.help))?;
        let mut text = String::new();
        match file.take(MAX_FILE + 1).read_to_string(&mut text) {
            Err(error) => Err(damaged(format!("the file cannot be read: {error}"))),
            Ok(length) if length as u64 > MAX_FILE => Err(damaged("the file is larger than 4 MiB".to_owned())),
            Ok(_) => Ok(text),
        }
    }

    /// Changes the file. Starts from the file as it is now, so that changes of other processes stay. Returns the
    /// entries, and whether the file changed.
    pub(super) fn change(
        &self,
        change: impl FnOnce(&[TrustEntry], &mut DocumentMut),
    ) -> Result<(Vec<TrustEntry>, bool), TrustError> {
        let folder = self.private_folder()?;
        let _lock = self.lock(&folder)?;
        // A link stays a link: the file that it leads to is read and replaced.
        let file = HeldFile::of_user(&self.path)?;
        let bad = |problem| TrustError::Damaged { path: self.path.clone(), problem: Box::new(problem) };
        let unread = |error: Errno| bad(damaged(format!("the file cannot be read: {}", std::io::Error::from(error))));
        let before = file.open().map_err(unread)?.map_or(Ok(String::new()), |file| self.text(file)).map_err(bad)?;
        let entries = parse(&before).map_err(bad)?;
        let parsed = before.parse::<DocumentMut>();
        let mut document = parsed.map_err(|error| bad(damaged(error.to_string())))?;
        change(&entries, &mut document);
        let after = document.to_string();
        if after == before {
            return Ok((entries, false));
        }
        // Parsed before the file is replaced, so that a change never damages it.
        let entries = parse(&after).map_err(bad)?;
        file.folder.put_for_good(&file.name, after.as_bytes(), 0o600)?;
        Ok((entries, true))
    }

    /// Returns the folder, created if needed, the user's own, and readable by the user alone.
    fn private_folder(&self) -> std::io::Result<WriteDir> {
        let folder = files::parent_of(&self.path);
        if let Some(home) = folder.parent() {
            files::make_own_folders(home)?;
        }
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(std::io::Error::new(error.kind(), format!("cannot make `{}`: {error}", folder.display())));
            }
            _ => {}
        }
        let held = WriteDir::follow(folder)?;
        let file = held.as_file()?;
        let stat = file.metadata()?;
        if !is_ours(&stat) {
            let message = format!("`{}` belongs to another user, so nothing is written there", folder.display());
            return Err(std::io::Error::new(ErrorKind::PermissionDenied, message));
        }
        if stat.mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o700))?;
        }
        Ok(held)
    }

    /// Waits until no other process changes the file. The lock is a file of its own, because the trust file is replaced.
    fn lock(&self, folder: &WriteDir) -> Result<File, TrustError> {
        match files::lock_file(folder, &self.path.with_file_name("trust.lock")) {
            Ok(lock) => Ok(lock),
            Err(LockError::Busy) => Err(TrustError::Busy(self.path.clone())),
            Err(LockError::Io(error)) => Err(error.into()),
            Err(error @ LockError::Odd { .. }) => Err(std::io::Error::other(error.to_string()).into()),
        }
    }
}
