//! Follows links step by step, and notes whose they are.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use super::steps::{PathStep, PathSteps};

/// Opens without reading: no bytes, no waiting for a pipe, nothing done to a device.
#[cfg(target_os = "linux")]
pub(super) const HOLD: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
pub(super) const HOLD: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// As many links as the system follows.
const LINKS_MAX: usize = 40;

/// A link that was followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct FollowedLink {
    /// Who made it.
    pub(super) owner: u32,
    /// Who owns the folder that it is in.
    pub(super) holder: u32,
}

/// What a path leads to, and the links on the way.
pub(super) struct Followed {
    pub(super) fd: OwnedFd,
    pub(super) links: Vec<FollowedLink>,
}

/// Follows ordinary links, and none of those that the kernel makes, such as `/proc/self/fd/3`.
pub(super) fn open_through_links(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<Followed, Errno> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let (none, ordinary) = (ResolveFlags::NO_SYMLINKS, ResolveFlags::NO_MAGICLINKS);
        match openat2(dir, path, flags, Mode::empty(), none | ordinary) {
            Ok(fd) => return Ok(Followed { fd, links: Vec::new() }),
            // There is a link. The system is asked first, because it knows which ones it made itself.
            Err(Errno::LOOP) => match openat2(dir, path, HOLD, Mode::empty(), ordinary) {
                Ok(_) | Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error),
            },
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    let followed = follow(dir, path)?;
    // A folder's names are read by another descriptor than the one that holds it.
    let fd = if flags.contains(OFlags::DIRECTORY) {
        rustix::fs::openat(&followed.fd, c".", flags, Mode::empty())?
    } else {
        followed.fd
    };
    Ok(Followed { fd, ..followed })
}

/// Goes one name at a time. Each object is held before it is looked at, so that what is judged is what was followed.
fn follow(dir: BorrowedFd<'_>, path: &Path) -> Result<Followed, Errno> {
    let (mut links, mut rest) = (Vec::new(), PathSteps::of(path));
    let mut here = rustix::fs::openat(dir, c".", HOLD | OFlags::DIRECTORY, Mode::empty())?;
    while let Some(step) = rest.next() {
        let name = match step {
            PathStep::Top => {
                here = rustix::fs::open(c"/", HOLD | OFlags::DIRECTORY, Mode::empty())?;
                continue;
            }
            PathStep::Up => OsString::from(".."),
            PathStep::Name(name) => name,
        };
        match held(here.as_fd(), &name)? {
            Held::Object(next) => here = next,
            Held::Link(owner, target) => {
                if links.len() == LINKS_MAX {
                    return Err(Errno::LOOP);
                }
                links.push(FollowedLink { owner, holder: owner_of(here.as_fd())? });
                rest.go_first(&target);
            }
        }
    }
    Ok(Followed { fd: here, links })
}

enum Held {
    Object(OwnedFd),
    /// Its owner, and where it leads.
    Link(u32, PathBuf),
}

#[cfg(target_os = "linux")]
fn held(dir: BorrowedFd<'_>, name: &OsStr) -> Result<Held, Errno> {
    let object = rustix::fs::openat(dir, name, HOLD | OFlags::NOFOLLOW, Mode::empty())?;
    let stat = rustix::fs::fstat(&object)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
        return Ok(Held::Object(object));
    }
    let target = rustix::fs::readlinkat(&object, c"", Vec::new())?;
    Ok(Held::Link(stat.st_uid, PathBuf::from(OsString::from_vec(target.into_bytes()))))
}

#[cfg(not(target_os = "linux"))]
fn held(dir: BorrowedFd<'_>, name: &OsStr) -> Result<Held, Errno> {
    use rustix::fs::AtFlags;
    match rustix::fs::openat(dir, name, HOLD | OFlags::NOFOLLOW, Mode::empty()) {
        Err(Errno::LOOP | Errno::MLINK) => {}
        opened => return opened.map(Held::Object),
    }
    let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
        return Err(Errno::LOOP);
    }
    let target = rustix::fs::readlinkat(dir, name, Vec::new())?;
    Ok(Held::Link(stat.st_uid, PathBuf::from(OsString::from_vec(target.into_bytes()))))
}

fn owner_of(folder: BorrowedFd<'_>) -> Result<u32, Errno> {
    Ok(rustix::fs::fstat(folder)?.st_uid)
}
