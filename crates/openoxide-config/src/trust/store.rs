//! The trust file on disk: read without blocking, changed under a lock, replaced as a whole.

use std::fs::{DirBuilder, File, Permissions, TryLockError};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use fs_err::os::unix::fs::OpenOptionsExt as _;
use openoxide_skills::diagnostic::Diagnostic;
use rustix::fs::OFlags;
use toml_edit::DocumentMut;

use super::parse::{damaged, parse};
use super::{error::TrustError, record::TrustEntry};
use crate::files;

const MAX_FILE: u64 = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) path: PathBuf,
}

impl Store {
    pub(super) fn new(home: &Path) -> Store {
        Store { path: home.join("state").join("trust.toml") }
    }

    /// Reads the file; a missing one is empty.
    pub(super) fn read(&self) -> Result<String, Diagnostic> {
        // A pipe in its place must not block a reader.
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        let file = match fs_err::OpenOptions::new().read(true).custom_flags(flags).open(&self.path) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(String::new());
            }
            Err(error) => return Err(damaged(format!("the file cannot be read: {error}"))),
        };
        let stat = file.metadata().map_err(|error| damaged(format!("the file cannot be read: {error}")))?;
        if !stat.is_file() {
            return Err(damaged("this is not a file".to_owned()));
        }
        if stat.mode() & 0o022 != 0 {
            let problem = damaged("others may write to the file, so nothing in it counts".to_owned());
            return Err(problem.help("look through it, then: chmod 600 on the file"));
        }
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
        let _lock = self.lock(folder)?;
        let bad = |problem| TrustError::Damaged { path: self.path.clone(), problem: Box::new(problem) };
        let before = self.read().map_err(bad)?;
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
        self.replace(&after)?;
        Ok((entries, true))
    }

    /// Returns the folder, created if needed, and readable by the user alone.
    fn private_folder(&self) -> std::io::Result<&Path> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        if let Some(home) = folder.parent() {
            fs_err::create_dir_all(home)?;
        }
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(std::io::Error::new(error.kind(), format!("cannot make `{}`: {error}", folder.display())));
            }
            _ => {}
        }
        if fs_err::metadata(folder)?.mode() & 0o077 != 0 {
            fs_err::set_permissions(folder, Permissions::from_mode(0o700))?;
        }
        Ok(folder)
    }

    /// Waits until no other process changes the file. The lock is a file of its own, because the trust file is replaced.
    fn lock(&self, folder: &Path) -> Result<File, TrustError> {
        let mut options = fs_err::OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).mode(0o600).open(folder.join("trust.lock"))?;
        let lock = lock.into_file();
        match files::lock(&lock) {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(TrustError::Busy(self.path.clone())),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Replaces the text. The file can be read by its owner alone.
    fn replace(&self, text: &str) -> std::io::Result<()> {
        // A link stays a link: the file that it leads to is replaced.
        let target = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = target.parent().unwrap_or(Path::new("/"));
        files::replace(&target, text, None)?;
        fs_err::File::open(folder)?.sync_all()
    }
}
