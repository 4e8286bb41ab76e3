//! Makes empty folders in place of sealed paths that do not exist yet.
//!
//! A mount needs a mount point. A placeholder is removed when the last command that relies on it has ended: each command
//! holds a shared lock on the folder, and only a command that gets the exclusive lock removes it. Otherwise the end of one
//! command would unseal the path for another.

use std::fs::{DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::{Policy, PolicyError, SandboxError};

/// The placeholders of one command. They are removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Placeholders(Vec<(PathBuf, File)>);

/// The mode that distinguishes a placeholder from any other empty folder.
const MARK: u32 = 0o1500;

impl Placeholders {
    /// Makes the placeholders, and returns every path that is really sealed, shallow ones first.
    pub(crate) fn make(policy: &Policy) -> Result<(Self, Vec<PathBuf>), SandboxError> {
        let mut made = Self::default();
        let mut sealed = Vec::new();
        for path in seals(policy) {
            let Some(root) = writable_above(policy, &path) else { continue };
            let place = place_of(root, &path)?;
            let is_new = !sealed.iter().any(|above| place.starts_with(above));
            if is_new && made.hold(&place).map_err(|error| at(&place, &error))? {
                sealed.push(place);
            }
        }
        sealed.sort_by_key(|path| path.components().count());
        Ok((made, sealed))
    }

    /// Makes a placeholder or shares an existing one; anything else is left alone. Returns whether the path exists
    /// afterwards. Where we may not create anything, the command may not either.
    fn hold(&mut self, place: &Path) -> io::Result<bool> {
        const ATTEMPTS: usize = 100;
        for _ in 0..ATTEMPTS {
            match DirBuilder::new().mode(MARK).create(place) {
                Ok(()) => {}
                Err(error) => match error.kind() {
                    io::ErrorKind::AlreadyExists => {}
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => return Ok(false),
                    _ => return Err(error),
                },
            }
            match std::fs::symlink_metadata(place) {
                Ok(found) if !is_marked(&found) => return Ok(true),
                Ok(_) => {}
                Err(_) => continue,
            }
            let Ok(folder) = File::open(place) else { continue };
            rustix::fs::flock(&folder, FlockOperation::LockShared)?;
            // The command that held the lock before may have removed the folder.
            if rustix::fs::fstat(&folder)?.st_nlink > 0 {
                self.0.push((place.to_owned(), folder));
                return Ok(true);
            }
        }
        Err(io::Error::other("it is made and removed again all the time"))
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for (place, folder) in self.0.drain(..) {
            if rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
                // Fails if the folder is not empty: then it is no placeholder any more.
                let _ = std::fs::remove_dir(place);
            }
        }
    }
}

/// Returns the sealed paths below a writable folder, each once, in order.
fn seals(policy: &Policy) -> Vec<PathBuf> {
    let below = |path: &&PathBuf| policy.writable.iter().any(|root| path.starts_with(root) && *path != root);
    let mut seals: Vec<PathBuf> = policy.sealed.iter().filter(below).cloned().collect();
    seals.sort();
    seals.dedup();
    seals
}

/// Returns the deepest writable folder above a path.
fn writable_above<'p>(policy: &'p Policy, path: &Path) -> Option<&'p Path> {
    let above = policy.writable.iter().filter(|root| path.starts_with(root));
    above.max_by_key(|root| root.components().count()).map(PathBuf::as_path)
}

/// Returns what to seal: the path, or the first part of it that does not exist.
///
/// A link cannot be sealed: it cannot be a mount point, and a process that may write beside it could replace it.
fn place_of(root: &Path, path: &Path) -> Result<PathBuf, PolicyError> {
    let mut place = root.to_owned();
    for part in path.strip_prefix(root).unwrap_or(Path::new("")).components() {
        place.push(part);
        match std::fs::symlink_metadata(&place) {
            Ok(found) if found.is_symlink() => return Err(PolicyError::Link(place)),
            // Another command's placeholder: as good as missing.
            Ok(found) if is_marked(&found) => break,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    Ok(place)
}

fn at(place: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}` cannot be sealed: {error}", place.display()))
}

fn is_marked(found: &Metadata) -> bool {
    found.is_dir() && found.permissions().mode() & 0o7777 == MARK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let path = std::fs::canonicalize(root.path()).unwrap();
        (root, path)
    }

    #[test]
    fn what_is_missing_is_held_and_given_back() {
        let (_root, folder) = folder();
        fs_err::create_dir_all(folder.join(".claude")).unwrap();
        fs_err::write(folder.join("lock"), "").unwrap();
        let sealed = [".git/hooks", ".git/config", ".claude", "lock"].map(|name| folder.join(name)).to_vec();
        let policy = Policy { writable: vec![folder.clone()], sealed, ..Policy::default() };
        let (first, sealed) = Placeholders::make(&policy).unwrap();
        assert_eq!(sealed, [".claude", ".git", "lock"].map(|name| folder.join(name)));
        let (second, _) = Placeholders::make(&policy).unwrap();
        drop(first);
        assert!(folder.join(".git").is_dir(), "the second command still relies on it");
        drop(second);
        assert!(!folder.join(".git").exists());
        assert!(folder.join(".claude").exists(), "an empty folder of the user's stays");
    }

    #[test]
    fn a_link_cannot_be_sealed() {
        let (_root, folder) = folder();
        std::os::unix::fs::symlink("elsewhere", folder.join(".git")).unwrap();
        let policy = Policy::default().write(&folder);
        let error = Placeholders::make(&policy).unwrap_err();
        assert!(matches!(error, SandboxError::Policy(PolicyError::Link(_))), "{error}");
    }
}
