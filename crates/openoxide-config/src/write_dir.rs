//! A folder that is written to: everything is resolved below its descriptor, and no link is followed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::{Errno, retry_on_intr};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// How a file is opened whatever it is: no link, and no waiting for a pipe's other end.
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
/// Attempts to find a name that nobody has.
const ATTEMPTS: u32 = 16;

/// A folder, held open.
#[derive(Debug)]
pub struct WriteDir(OwnedFd);

/// The mode of a folder that the user alone may write to.
const OWN_FOLDER: Mode = Mode::from_bits_retain(0o755);

impl WriteDir {
    /// Opens a folder by its whole path, in which there is no link.
    pub fn open(path: &Path) -> io::Result<WriteDir> {
        let top = retry_on_intr(|| rustix::fs::open(c"/", FOLDER, Mode::empty()))?;
        let below = path.strip_prefix("/").map_err(|_| Errno::INVAL)?;
        Ok(WriteDir(open_below(top.as_fd(), below)?))
    }

    /// Opens the folder that a path leads to, through links. What is done in it stays there, wherever the path leads later.
    pub fn follow(path: &Path) -> io::Result<WriteDir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(WriteDir(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?))
    }

    /// Opens a folder inside this one, through no link.
    pub fn below(&self, path: &Path) -> io::Result<WriteDir> {
        Ok(WriteDir(open_below(self.0.as_fd(), path)?))
    }

    /// Opens a folder inside this one, and makes those on the way that are missing.
    pub fn make(&self, path: &Path) -> io::Result<WriteDir> {
        let mut here = self.below(Path::new(""))?;
        for part in path.components() {
            let Component::Normal(name) = part else { return Err(Errno::XDEV.into()) };
            here.make_one(name)?;
            here = here.below(Path::new(name))?;
        }
        Ok(here)
    }

    /// Makes a folder in this one; returns whether there was nothing of that name.
    pub fn make_one(&self, name: &OsStr) -> io::Result<bool> {
        self.make_with(name, Mode::RWXU | Mode::RWXG | Mode::RWXO)
    }

    /// Makes a folder of the user's own, which no other user may write to whatever the umask is: OpenOxide would not use it.
    pub fn make_own(&self, name: &OsStr) -> io::Result<bool> {
        self.make_with(name, OWN_FOLDER)
    }

    fn make_with(&self, name: &OsStr, mode: Mode) -> io::Result<bool> {
        match rustix::fs::mkdirat(&self.0, name, mode) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a folder in this one if it is empty.
    pub fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Opens something in the folder that is no link; the caller checks what it is.
    pub fn open_file(&self, name: &OsStr, flags: OFlags) -> Result<File, Errno> {
        let open = || rustix::fs::openat(&self.0, name, FILE | flags, Mode::RUSR | Mode::WUSR);
        Ok(File::from(retry_on_intr(open)?))
    }

    /// Returns the folder as a file: to lock it, and to ask about it.
    pub fn as_file(&self) -> io::Result<File> {
        Ok(File::from(self.0.try_clone()?))
    }

    /// Writes a file that is not there yet.
    pub fn create(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?;
        File::from(file).write_all(bytes)
    }

    /// Returns what a name is the name of; nothing if there is no such entry. A link is itself.
    pub fn kind(&self, name: &OsStr) -> Option<FileType> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileType::from_raw_mode(stat.st_mode))
    }

    /// Returns the names in the folder, sorted.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        use std::os::unix::ffi::OsStringExt as _;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            names.push(OsString::from_vec(entry?.file_name().to_bytes().to_vec()));
        }
        names.sort();
        Ok(names)
    }

    /// Reads a regular file; one of more than `max` bytes is [`FileTooLarge`](io::ErrorKind::FileTooLarge).
    pub fn read(&self, name: &OsStr, max: usize) -> io::Result<Vec<u8>> {
        let file = self.open_file(name, OFlags::RDONLY)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(max as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > max { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    /// Replaces a file in one step, with the same mode: at any moment there is the old text or the new one.
    pub fn replace(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        let mode = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode & 0o777;
        #[allow(clippy::useless_conversion, reason = "it has 16 bits on macOS")]
        self.put(name, bytes, u32::from(mode))
    }

    /// Puts a file in the place of whatever has the name, in one step, and has it on the disk; its name may not be there
    /// yet. A link is replaced, not followed.
    pub fn put(&self, name: &OsStr, bytes: &[u8], mode: u32) -> io::Result<()> {
        let (staged, mut file) =
            self.stage(|staged| self.open_file(staged, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL))?;
        let written = file
            .write_all(bytes)
            .and_then(|()| file.set_permissions(Permissions::from_mode(mode)))
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(rustix::fs::renameat(&self.0, &*staged, &self.0, name)?));
        self.settle(&staged, written)
    }

    /// Replaces a file so that its name is on the disk too: after an error the old one is there.
    pub fn put_for_good(&self, name: &OsStr, bytes: &[u8], mode: u32) -> io::Result<()> {
        let before = self.previous(name)?;
        self.put(name, bytes, mode)?;
        let Err(error) = retry_on_intr(|| rustix::fs::fsync(&self.0)) else { return Ok(()) };
        let undone = match before {
            Some((bytes, mode)) => self.put(name, &bytes, mode),
            None => rustix::fs::unlinkat(&self.0, name, AtFlags::empty()).map_err(io::Error::from),
        };
        let state = if undone.is_ok() { "it is as before" } else { "it may be changed" };
        let error = io::Error::from(error);
        let message = format!("`{}` cannot be kept on the disk, {state}: {error}", Path::new(name).display());
        Err(io::Error::new(error.kind(), message))
    }

    /// Returns the regular file that is about to be replaced, and its mode.
    fn previous(&self, name: &OsStr) -> io::Result<Option<(Vec<u8>, u32)>> {
        if self.kind(name) != Some(FileType::RegularFile) {
            return Ok(None);
        }
        let mut file = self.open_file(name, OFlags::RDONLY)?;
        let (mut bytes, mode) = (Vec::new(), file.metadata()?.mode() & 0o777);
        file.read_to_end(&mut bytes)?;
        Ok(Some((bytes, mode)))
    }

    /// Puts a link in the place of another one in one step, so that there is always one.
    pub fn relink(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        let (staged, ()) = self.stage(|staged| rustix::fs::symlinkat(target, &self.0, staged))?;
        let renamed = rustix::fs::renameat(&self.0, &*staged, &self.0, name);
        self.settle(&staged, renamed.map_err(io::Error::from))
    }

    /// Makes a link under a name that nobody has.
    pub fn link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.0, name)?)
    }

    /// Removes a file or a link in this folder.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Gives something in the folder another name; nothing that is there is replaced.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.move_to(from, self, to)
    }

    /// Moves something to another folder; nothing that is there is replaced, not even an empty folder.
    pub fn move_to(&self, from: &OsStr, folder: &WriteDir, to: &OsStr) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.0, from, &folder.0, to, RenameFlags::NOREPLACE) {
            // Some disks do not know how not to replace; then a look must do.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if folder.kind(to).is_none() => {
                Ok(rustix::fs::renameat(&self.0, from, &folder.0, to)?)
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::AlreadyExists.into()),
            outcome => Ok(outcome?),
        }
    }

    /// Makes a hidden folder in this one that nobody else enters, under a name that nobody has.
    pub fn make_private(&self) -> io::Result<(OsString, WriteDir)> {
        let (name, ()) = self.stage(|name| rustix::fs::mkdirat(&self.0, name, Mode::RWXU))?;
        let made = self.below(Path::new(&name))?;
        Ok((name, made))
    }

    /// Makes something under a name of ours that nobody has.
    fn stage<T>(&self, make: impl Fn(&OsStr) -> Result<T, Errno>) -> io::Result<(OsString, T)> {
        for _ in 0..ATTEMPTS {
            // What a killed process left, or what another user put there, keeps no name from us.
            let name = OsString::from(format!(".openoxide-{:016x}", RandomState::new().hash_one(())));
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
        return retry_on_intr(|| rustix::fs::openat(dir, c".", FOLDER, Mode::empty()));
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
        passed = Some(retry_on_intr(|| rustix::fs::openat(here, name, FOLDER, Mode::empty()))?);
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
        assert!(skill.read(OsStr::new("file"), 100).is_err());
        skill.replace(OsStr::new("file"), b"ours").unwrap();
        assert_eq!(fs_err::read(real.join("out/file")).unwrap(), b"theirs");
        assert_eq!(skill.read(OsStr::new("file"), 4).unwrap(), b"ours");
        assert_eq!(skill.read(OsStr::new("file"), 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(skill.names().unwrap().len(), 3, "nothing is left over but `.` and `..`");
    }

    #[test]
    fn what_a_killed_process_left_keeps_nobody_from_writing() {
        let root = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(root.path()).unwrap();
        for attempt in 0..ATTEMPTS {
            fs_err::write(real.join(format!(".openoxide-{}-{attempt}", std::process::id())), "").unwrap();
        }
        fs_err::write(real.join("file"), "before").unwrap();
        WriteDir::open(&real).unwrap().replace(OsStr::new("file"), b"ours").unwrap();
        assert_eq!(fs_err::read(real.join("file")).unwrap(), b"ours");
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
