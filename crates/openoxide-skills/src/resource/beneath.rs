//! Opens what lies below a folder: resolved by the kernel, or step by step where it cannot; never outside.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

/// How often the kernel is asked again when something moved while it resolved a path.
#[cfg(target_os = "linux")]
const ATTEMPTS: usize = 8;
/// Most links that one path may lead through, as in the kernel.
const LINKS_MAX: usize = 40;
/// Most folders on one path; each is held open.
const DEPTH_MAX: usize = 64;

/// How every file is opened: nothing waits for a pipe's other end, no terminal becomes ours.
pub(super) const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

pub(super) const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens `path` below `dir`. Links that stay below are followed; a way that leads out, or to another mount, is `XDEV`.
pub(super) fn open(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    match by_kernel(dir, path, flags) {
        // The first two: there is no such call here. The last: folders on the way are being moved.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
        outcome => return outcome,
    }
    by_steps(dir, path, flags)
}

/// Opens `path` below `dir` in one call, through no link at all; one on the way is as in [`open_plain`].
pub(crate) fn open_straight(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let plain = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_XDEV | plain;
        match retry_on_intr(|| openat2(dir, path, flags, Mode::empty(), resolve)) {
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            outcome => return outcome,
        }
    }
    open_plain(dir, path, flags)
}

/// Opens `path` below `dir`, through no link at all; one on the way is `LOOP`, or `NOTDIR` where it stands for a folder.
pub(crate) fn open_plain(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut passed: Option<OwnedFd> = None;
    let mut names = path.components().peekable();
    while let Some(part) = names.next() {
        let Component::Normal(name) = part else { return Err(Errno::XDEV) };
        let here = passed.as_ref().map_or(dir, AsFd::as_fd);
        if names.peek().is_none() {
            return open_name(here, name, flags);
        }
        passed = Some(open_name(here, name, FOLDER)?);
    }
    Err(Errno::NOENT)
}

/// Opens an absolute path, through no link at all; one on the way is as in [`open_plain`].
pub(super) fn open_whole(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        // Folders that may be passed and not listed are no hindrance to the kernel.
        let plain = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match retry_on_intr(|| openat2(CWD, path, flags, Mode::empty(), plain)) {
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            outcome => return outcome,
        }
    }
    let root = retry_on_intr(|| rustix::fs::open(c"/", FOLDER, Mode::empty()))?;
    open_plain(root.as_fd(), path.strip_prefix("/").map_err(|_| Errno::XDEV)?, flags)
}

/// Opens one name in `dir`, never through a link.
pub(super) fn open_name(dir: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
        match retry_on_intr(|| openat2(dir, name, flags, Mode::empty(), resolve)) {
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            outcome => return outcome,
        }
    }
    retry_on_intr(|| rustix::fs::openat(dir, name, flags, Mode::empty()))
}

#[cfg(target_os = "linux")]
fn by_kernel(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
    for _ in 0..ATTEMPTS {
        match retry_on_intr(|| openat2(dir, path, flags, Mode::empty(), resolve)) {
            Err(Errno::AGAIN) => {}
            outcome => return outcome,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens `path` one name at a time. `..` goes back to a folder that is held open, so nobody can move it away.
pub(super) fn by_steps(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut passed: Vec<OwnedFd> = Vec::new();
    let mut ahead: Vec<OsString> = Vec::new();
    let mut links = 0;
    put(&mut ahead, path)?;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            passed.pop().ok_or(Errno::XDEV)?;
            continue;
        }
        let here = passed.last().map_or(dir, AsFd::as_fd);
        let last = ahead.is_empty();
        let how = if last { flags } else { FOLDER };
        match open_name(here, &name, how) {
            Ok(file) if last => return Ok(file),
            Ok(_) if passed.len() >= DEPTH_MAX => return Err(Errno::NAMETOOLONG),
            Ok(folder) => passed.push(folder),
            // A link, if it can be read as one.
            Err(error @ (Errno::LOOP | Errno::NOTDIR | Errno::MLINK)) => {
                links += 1;
                let target = rustix::fs::readlinkat(here, &*name, Vec::new()).map_err(|_| error)?;
                if links > LINKS_MAX || flags.contains(OFlags::NOFOLLOW) && last {
                    return Err(Errno::LOOP);
                }
                put(&mut ahead, Path::new(&OsString::from_vec(target.into_bytes())))?;
            }
            Err(error) => return Err(error),
        }
    }
    retry_on_intr(|| rustix::fs::openat(passed.last().map_or(dir, AsFd::as_fd), c".", flags, Mode::empty()))
}

/// Puts a path before what is left of the current one.
fn put(ahead: &mut Vec<OsString>, path: &Path) -> Result<(), Errno> {
    if path.as_os_str().is_empty() {
        return Err(Errno::NOENT);
    }
    for part in path.components().rev() {
        match part {
            Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
            Component::CurDir => {}
            Component::ParentDir => ahead.push("..".into()),
            Component::Normal(name) => ahead.push(name.to_owned()),
        }
    }
    Ok(())
}

/// Fills `buffer` as far as the file goes; returns how much was read.
pub(super) fn read_full(file: &OwnedFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    let mut filled = 0;
    while filled < buffer.len() {
        match rustix::io::read(file, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => {
                let wanted = buffer.len() - filled;
                filled += read;
                // A short read of a regular file is its end; asking again would cost a call for every skill.
                if read < wanted {
                    break;
                }
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Says why something failed, without the number of the error.
pub(super) fn reason(error: Errno) -> String {
    let text = std::io::Error::from(error).to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}
