//! One-time links: each code opens one browser session at one server, once, within minutes.
//!
//! A code is kept as a file that is named by its digest, so that any process of the user can make one for a server that
//! runs, and the folder reveals no code. Removing the file redeems the code, so it works once.

use std::fs::{File, TryLockError};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use openoxide_app::encoding::hex;

use super::{private_file, token::digest};

/// How long a link is good.
const GOOD_FOR: Duration = Duration::from_mins(10);
/// The length of a code, as text. It has 128 random bits, so that guessing leads nowhere.
const CODE: usize = 32;

/// How the names of files begin that servers which run hold locked.
const ANNOUNCED: &str = "at-";

/// A server's word that it runs. The system takes it back when the server ends, however it ends.
#[derive(Debug)]
pub struct Announced {
    path: PathBuf,
    _lock: File,
}

impl Drop for Announced {
    fn drop(&mut self) {
        // Still locked: a server that begins meanwhile finds it so, and tries again.
        let _ = fs_err::remove_file(&self.path);
    }
}

/// The links of one server.
#[derive(Clone, Debug)]
pub struct OneTimeLinks {
    folder: PathBuf,
    /// The address that the server listens at. A code for one address opens nothing at another.
    address: SocketAddr,
}

impl OneTimeLinks {
    /// Returns the links of the server at an address, below OpenOxide's own folder.
    pub fn below(home: &Path, address: SocketAddr) -> OneTimeLinks {
        OneTimeLinks { folder: home.join("state").join("links"), address }
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes a code.
    pub fn make(&self) -> io::Result<String> {
        private_file::make_folder(&self.folder)?;
        let code = private_file::random::<{ CODE / 2 }>()?;
        private_file::create(&self.file(&code), self.content(&code).as_bytes())?;
        Ok(code)
    }

    /// Redeems a code: true once, and only while it is good.
    pub fn redeem(&self, code: &str) -> bool {
        if code.len() != CODE || !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        let file = self.file(code);
        let is_ours = matches!(private_file::read(&file), Ok(Some(text)) if text == self.content(code).as_bytes());
        is_ours && is_fresh(&file) && fs_err::remove_file(&file).is_ok()
    }

    /// Says that the user's server runs at the address, for as long as the value lives.
    pub fn announce(&self) -> io::Result<Announced> {
        private_file::make_folder(&self.folder)?;
        let path = self.announcement();
        let lock = take_lock(&path)?;
        Ok(Announced { path, _lock: lock })
    }

    /// Tells whether the user's server runs at the address. Another program that listens there cannot announce itself.
    pub fn is_announced(&self) -> bool {
        let path = self.announcement();
        // Asking leaves no file behind.
        let lock = private_file::make_folder(&self.folder).and_then(|()| fs_err::symlink_metadata(&path));
        let lock = lock.and_then(|_| private_file::open_lock(&path));
        lock.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    fn announcement(&self) -> PathBuf {
        self.folder.join(format!("{ANNOUNCED}{}", self.address))
    }

    /// Forgets codes that were made for this address before its server began, and those that are too old. Another program
    /// may have listened here when they were made. Removes what servers left that were killed.
    pub fn forget_old(&self) {
        let Ok(entries) = fs_err::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_name().as_encoded_bytes().starts_with(ANNOUNCED.as_bytes()) {
                drop(take_lock(&path).map(|lock| Announced { path, _lock: lock }));
                continue;
            }
            let address = format!("{} ", self.address);
            let is_ours = || fs_err::read(&path).is_ok_and(|text| text.starts_with(address.as_bytes()));
            if !is_fresh(&path) || is_ours() {
                let _ = fs_err::remove_file(&path);
            }
        }
    }

    fn file(&self, code: &str) -> PathBuf {
        self.folder.join(hex(&digest(code.as_bytes())))
    }

    /// Returns what the file of a code holds. Its own name is in it, so that a file that was renamed opens nothing.
    fn content(&self, code: &str) -> String {
        format!("{} {}", self.address, hex(&digest(code.as_bytes())))
    }
}

/// Locks a file that nobody else holds, and that is still the one at its path.
fn take_lock(path: &Path) -> io::Result<File> {
    let file = private_file::open_lock(path)?;
    file.try_lock().map_err(io::Error::other)?;
    let (held, there) = (file.metadata()?, fs_err::symlink_metadata(path)?);
    if (held.dev(), held.ino()) == (there.dev(), there.ino()) {
        return Ok(file);
    }
    Err(io::Error::other("it was removed meanwhile"))
}

/// A file of the future is as good as one that is too old: the clock cannot be relied on.
fn is_fresh(file: &Path) -> bool {
    let made = fs_err::symlink_metadata(file).and_then(|found| found.modified());
    made.is_ok_and(|made| SystemTime::now().duration_since(made).is_ok_and(|age| age < GOOD_FOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(root: &Path, port: u16) -> OneTimeLinks {
        OneTimeLinks::below(root, ([127, 0, 0, 1], port).into())
    }

    #[test]
    fn a_code_is_good_once_at_one_address_and_is_not_kept() {
        let root = tempfile::tempdir().unwrap();
        let (here, there) = (links(root.path(), 1), links(root.path(), 2));
        let code = here.make().unwrap();
        let kept = fs_err::read_dir(root.path().join("state/links")).unwrap().next().unwrap().unwrap();
        let text = format!("{} {}", kept.path().display(), fs_err::read_to_string(kept.path()).unwrap());
        assert!(!text.contains(&code), "{text}");
        assert!(!there.redeem(&code) && here.redeem(&code) && !here.redeem(&code));
        let (known, renamed) = ("0".repeat(CODE), here.make().unwrap());
        fs_err::rename(here.file(&renamed), here.file(&known)).unwrap();
        assert!(!here.redeem(&known), "a file that was given another name");
        for wrong in ["", "x", "../../token", &"0".repeat(32), &"é".repeat(16)] {
            assert!(!here.redeem(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_server_is_announced_while_it_runs_at_its_own_address() {
        let root = tempfile::tempdir().unwrap();
        let (here, there) = (links(root.path(), 1), links(root.path(), 2));
        assert!(!here.is_announced());
        let announced = here.announce().unwrap();
        here.forget_old();
        assert!(here.is_announced() && !there.is_announced() && here.announce().is_err());
        drop(announced);
        assert!(!here.is_announced());
        let left = || fs_err::read_dir(root.path().join("state/links")).unwrap().count();
        assert_eq!(left(), 0, "nothing stays, and asking leaves nothing");
        // A server that was killed.
        fs_err::write(there.announcement(), "").unwrap();
        let announced = here.announce().unwrap();
        here.forget_old();
        assert!(here.is_announced() && left() == 1);
        drop(announced);
    }

    #[test]
    fn a_code_that_is_too_old_or_from_before_the_start_is_not_good() {
        let root = tempfile::tempdir().unwrap();
        let (here, there) = (links(root.path(), 1), links(root.path(), 2));
        let (old, other) = (here.make().unwrap(), there.make().unwrap());
        let file = fs_err::File::options().write(true).open(here.file(&old)).unwrap();
        for time in [SystemTime::now() - GOOD_FOR, SystemTime::now() + GOOD_FOR] {
            file.file().set_modified(time).unwrap();
            assert!(!here.redeem(&old));
        }
        file.file().set_modified(SystemTime::now()).unwrap();
        here.forget_old();
        assert!(!here.redeem(&old) && there.redeem(&other));
    }

    #[test]
    fn a_folder_that_others_can_change_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;
        let root = tempfile::tempdir().unwrap();
        let here = links(root.path(), 1);
        let code = here.make().unwrap();
        for folder in ["state/links", "state", ""] {
            let folder = root.path().join(folder);
            let before = fs_err::metadata(&folder).unwrap().permissions();
            fs_err::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
            assert!(!here.redeem(&code) && here.make().is_err(), "{}", folder.display());
            fs_err::set_permissions(&folder, before).unwrap();
        }
        assert!(here.redeem(&code));
    }
}
