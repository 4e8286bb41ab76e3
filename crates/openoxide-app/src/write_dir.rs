//! A folder that is written to: everything is resolved below its descriptor, and no link is followed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Attempts to find a name that nobody has.
const ATTEMPTS: u32 = 16;

/// A folder, held open.
#[derive(Debug)]
pub(crate) struct WriteDir(OwnedFd);

impl WriteDir {
    /// Opens a folder by its whole path, in which there is no link.
    pub(crate) fn open(path: &Path) -> io::Result<WriteDir> {
        let top = rustix::fs::open(c"/", FOLDER, Mode::empty())?;
        let below = path.strip_prefix("/").map_err(|_| Errno::INVAL)?;
        Ok(WriteDir(open_below(top.as_fd(), below)?))
    }

    /// Opens a folder inside this one, through no link.
    pub(crate) fn below(&self, path: &Path) -> io::Result<WriteDir> {
        Ok(WriteDir(open_below(self.0.as_fd(), path)?))
    }

    /// Opens a folder inside this one, and makes those on the way that are missing.
    pub(crate) fn make(&self, path: &Path) -> io::Result<WriteDir> {
        let mut here = self.below(Path::new(""))?;
        for part in path.components() {
            let Component::Normal(name) = part else { return Err(Errno::XDEV.into()) };
            match rustix::fs::mkdirat(&here.0, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            here = here.below(Path::new(name))?;
        }
        Ok(here)
    }

    /// Writes a file that is not there yet.
    pub(crate) fn create(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?;
        File::from(file).write_all(bytes)
    }

    /// Returns what a name is the name of; nothing if there is no such entry. A link is itself.
    pub(crate) fn kind(&self, name: &OsStr) -> Option<FileType> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileType::from_raw_mode(stat.st_mode))
    }

    /// Returns the names in the folder, sorted.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        use std::os::unix::ffi::OsStringExt as _;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            names.push(OsString::from_vec(entry?.file_name().to_bytes().to_vec()));
        }
        names.sort();
        Ok(names)
    }

    /// Reads a regular file.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?);
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Replaces a file in one step, with the same mode: at any moment there is the old text or the new one.
    pub(crate) fn replace(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        let mode = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode & 0o777;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (staged, file) =
            self.stage(|staged| rustix::fs::openat(&self.0, staged, flags, Mode::from_raw_mode(0o600)))?;
        let mut file = File::from(file);
        let written = file
            .write_all(bytes)
            .and_then(|()| Ok(rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?))
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(rustix::fs::renameat(&self.0, &*staged, &self.0, name)?));
        self.settle(&staged, written)
    }

    /// Puts a link in the place of another one in one step, so that there is always one.
    pub(crate) fn relink(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        let (staged, ()) = self.stage(|staged| rustix::fs::symlinkat(target, &self.0, staged))?;
        let renamed = rustix::fs::renameat(&self.0, &*staged, &self.0, name);
        self.settle(&staged, renamed.map_err(io::Error::from))
    }

    /// Gives something in the folder another name; nothing that is there is replaced.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE) {
            // Some disks do not know how not to replace; then a look must do.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if self.kind(to).is_none() => {
                Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::AlreadyExists.into()),
            outcome => Ok(outcome?),
        }
    }

    /// Makes something under a name of ours that nobody has.
    fn stage<T>(&self, make: impl Fn(&OsStr) -> Result<T, Errno>) -> io::Result<(OsString, T)> {
        let own = std::process::id();
        for attempt in 0..ATTEMPTS {
            let name = OsString::from(format!(".openoxide-{own}-{attempt}"));
            match make(&name) {
                Err(Errno::EXIST) => {}
                made => return Ok((name, made?)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Removes what was staged if it did not get its place.
    fn settle(&self, staged: &OsStr, outcome: io::Result<()>) -> io::Result<()> {
        if outcome.is_err() {
            let _ = rustix::fs::unlinkat(&self.0, staged, AtFlags::empty());
        }
        outcome
    }
}

/// Opens a folder below another one. No link is followed, and nothing leads out.
fn open_below(dir: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    if path.as_os_str().is_empty() {
        return rustix::fs::openat(dir, c".", FOLDER, Mode::empty());
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(dir, path, FOLDER, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INTR) => {}
            outcome => return outcome,
        }
    }
    let mut passed: Option<OwnedFd> = None;
    for part in path.components() {
        let Component::Normal(name) = part else { return Err(Errno::XDEV) };
        let here = passed.as_ref().map_or(dir, |passed| passed.as_fd());
        passed = Some(rustix::fs::openat(here, name, FOLDER, Mode::empty())?);
    }
    passed.ok_or(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn nothing_is_written_through_a_link() {
        let root = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(root.path()).unwrap();
        fs_err::create_dir_all(real.join("in/skill")).unwrap();
        fs_err::create_dir_all(real.join("out")).unwrap();
        fs_err::write(real.join("out/file"), "theirs").unwrap();
        symlink(real.join("out"), real.join("in/link")).unwrap();
        symlink(real.join("out/file"), real.join("in/skill/file")).unwrap();
        let dir = WriteDir::open(&real.join("in")).unwrap();
        assert!(WriteDir::open(&real.join("in/link")).is_err());
        assert!(dir.below(Path::new("link")).is_err() && dir.below(Path::new("../out")).is_err());
        let skill = dir.below(Path::new("skill")).unwrap();
        assert!(skill.read(OsStr::new("file")).is_err());
        skill.replace(OsStr::new("file"), b"ours").unwrap();
        assert_eq!(fs_err::read(real.join("out/file")).unwrap(), b"theirs");
        assert_eq!(fs_err::read(real.join("in/skill/file")).unwrap(), b"ours");
        assert_eq!(skill.names().unwrap().len(), 3, "nothing is left over but `.` and `..`");
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_name_that_is_taken_its_owner() {
        let root = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(root.path()).unwrap();
        fs_err::write(real.join("a"), "a").unwrap();
        fs_err::write(real.join("b"), "b").unwrap();
        fs_err::set_permissions(real.join("a"), std::fs::Permissions::from_mode(0o640)).unwrap();
        let dir = WriteDir::open(&real).unwrap();
        dir.replace(OsStr::new("a"), b"new").unwrap();
        assert_eq!(fs_err::metadata(real.join("a")).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(dir.rename(OsStr::new("a"), OsStr::new("b")).is_err());
        dir.rename(OsStr::new("a"), OsStr::new("c")).unwrap();
        assert_eq!(
            fs_err::read_to_string(real.join("c")).unwrap() + &fs_err::read_to_string(real.join("b")).unwrap(),
            "newb"
        );
    }
}
