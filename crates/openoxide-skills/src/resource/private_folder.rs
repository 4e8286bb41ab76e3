//! A folder for a copy of a skill that only its owner can enter, removed with its value or swept by a later process.
//!
//! It lies in the temporary folder: a home may be read-only, a runtime folder may be small or forbid to run programs, and
//! what a crash leaves there is gone after the next start of the machine at the latest. Others write to that folder too.
//! So it is made exclusively, its owner and mode are asked of its descriptor, and a lock says that somebody uses it.

use std::fs::{File, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{io, os::fd::AsFd, os::fd::BorrowedFd};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::process::{getegid, geteuid};
use tempfile::TempDir;

/// What the names of all such folders begin with.
const PREFIX: &str = "openoxide-copy-";

/// Most entries of the temporary folder that are looked at for what was left.
const MOST_ENTRIES: usize = 10_000;

/// How often a folder is made anew if another process sweeps it away before it is locked.
const ATTEMPTS: usize = 16;

/// An empty folder that nobody else can enter. It is removed when this is dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    /// Held for its lock, and to compare with what the path leads to.
    open: File,
    path: PathBuf,
    // Held for its destructor.
    _made: TempDir,
}

impl PrivateFolder {
    /// Makes one in the temporary folder. The first time, what killed processes left there is removed.
    pub fn new() -> io::Result<PrivateFolder> {
        static SWEEP: Once = Once::new();
        let parent = std::env::temp_dir();
        SWEEP.call_once(|| sweep(&parent));
        PrivateFolder::new_in(&parent)
    }

    fn new_in(parent: &Path) -> io::Result<PrivateFolder> {
        let parent = std::fs::canonicalize(parent).map_err(|error| at(parent, &error))?;
        parent.ancestors().try_for_each(check_shared)?;
        for _ in 0..ATTEMPTS {
            if let Some(folder) = PrivateFolder::attempt(&parent)? {
                folder.check()?;
                return Ok(folder);
            }
        }
        Err(io::Error::other(format!("{}: what is made there is removed again at once", parent.display())))
    }

    /// Makes and locks one; nothing if another process swept it away before it was locked.
    fn attempt(parent: &Path) -> io::Result<Option<PrivateFolder>> {
        let mode = Permissions::from_mode(0o700);
        let made = tempfile::Builder::new().prefix(PREFIX).permissions(mode.clone()).tempdir_in(parent)?;
        let path = made.path().to_owned();
        let open = match open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            open => open?,
        };
        // What the umask took away.
        open.set_permissions(mode)?;
        let is_locked = rustix::fs::flock(&open, FlockOperation::NonBlockingLockExclusive).is_ok();
        let is_there = is_locked && std::fs::symlink_metadata(&path).is_ok();
        Ok(is_there.then(|| PrivateFolder { open, path, _made: made }))
    }

    /// Returns its path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the path still leads to this folder, and that only its owner can enter it.
    pub fn check(&self) -> io::Result<()> {
        let (ours, there) = (self.open.metadata()?, open(&self.path)?.metadata()?);
        let is_same = (ours.dev(), ours.ino()) == (there.dev(), there.ino());
        if is_same && is_private(&there) {
            return Ok(());
        }
        Err(at(&self.path, &io::Error::other("it is not the private folder that was made")))
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.open.as_fd()
    }
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty()).map_err(|error| at(path, &error.into()))?.into())
}

fn is_private(folder: &Metadata) -> bool {
    folder.is_dir() && folder.uid() == geteuid().as_raw() && folder.mode() & 0o7777 == 0o700
}

/// Checks that others cannot rename or remove what is ours in a folder.
fn check_shared(folder: &Path) -> io::Result<()> {
    const STICKY: u32 = 0o1000;
    // Whom the system shows as the owner of what belongs to nobody in this user namespace.
    const UNMAPPED: u32 = 65534;
    let found = std::fs::symlink_metadata(folder).map_err(|error| at(folder, &error))?;
    let is_others = found.mode() & 0o002 != 0 || found.mode() & 0o020 != 0 && found.gid() != getegid().as_raw();
    // A group of root's is the system's.
    let is_systems = found.uid() == 0 && found.gid() == 0 && found.mode() & 0o002 == 0;
    let is_owned = [0, UNMAPPED, geteuid().as_raw()].contains(&found.uid());
    if is_owned && (found.mode() & STICKY != 0 || !is_others || is_systems) {
        return Ok(());
    }
    let why = "others can replace what is in it; set TMPDIR to a folder of your own, or `chmod +t` it";
    Err(at(folder, &io::Error::new(io::ErrorKind::PermissionDenied, why)))
}

/// Removes folders of ours that no process holds.
fn sweep(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().take(MOST_ENTRIES).flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            let _ = sweep_one(&entry.path());
        }
    }
}

fn sweep_one(path: &Path) -> io::Result<()> {
    let folder = open(path)?;
    if is_private(&folder.metadata()?) {
        rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
        std::fs::remove_dir_all(path)?;
    }
    Ok(())
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn it_is_private_and_goes_with_its_value() {
        let parent = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::new_in(parent.path()).unwrap();
        assert_eq!(mode(folder.path()), 0o700);
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn what_is_exchanged_or_opened_up_is_not_used() {
        let parent = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::new_in(parent.path()).unwrap();
        folder.check().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        assert!(folder.check().is_err());
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        folder.check().unwrap();
        let aside = parent.path().join("aside");
        fs_err::rename(folder.path(), &aside).unwrap();
        assert!(folder.check().is_err(), "gone");
        std::os::unix::fs::symlink(&aside, folder.path()).unwrap();
        assert!(folder.check().is_err(), "a link to it");
        fs_err::remove_file(folder.path()).unwrap();
        fs_err::create_dir(folder.path()).unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        assert!(folder.check().is_err(), "another one");
    }

    #[test]
    fn only_what_nobody_holds_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let held = PrivateFolder::new_in(parent.path()).unwrap();
        let make = |name: &str, mode: u32| {
            let path = parent.path().join(name);
            fs_err::create_dir_all(path.join("scripts")).unwrap();
            std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            path
        };
        let left = make("openoxide-copy-left", 0o700);
        let (open, other) = (make("openoxide-copy-open", 0o755), make("other-copy", 0o700));
        let link = parent.path().join("openoxide-copy-link");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        sweep(parent.path());
        assert!(!left.exists(), "nobody holds it");
        assert!(held.path().exists() && open.exists() && other.join("scripts").exists() && link.is_symlink());
    }

    #[test]
    fn sweeping_takes_nothing_from_who_is_just_making_one() {
        let parent = tempfile::tempdir().unwrap();
        let is_done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    sweep(parent.path());
                }
            });
            let made = (0..2000).try_for_each(|_| PrivateFolder::new_in(parent.path())?.check());
            is_done.store(true, std::sync::atomic::Ordering::Relaxed);
            made.unwrap();
        });
    }

    #[test]
    fn a_folder_where_others_can_replace_it_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        std::fs::set_permissions(parent.path(), Permissions::from_mode(0o777)).unwrap();
        let refused = PrivateFolder::new_in(parent.path()).unwrap_err();
        assert!(refused.to_string().contains("others can replace what is in it"), "{refused}");
        std::fs::set_permissions(parent.path(), Permissions::from_mode(0o1777)).unwrap();
        PrivateFolder::new_in(parent.path()).unwrap();
    }
}
