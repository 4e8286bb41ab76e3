//! Opens what a search looks at: through no link, and with a note of every mount that is crossed.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::boundary::{MountId, Mounts, mount_of};

/// The mounts that a search came across, and those that it may cross if it is not the first one.
#[derive(Debug, Default)]
pub(super) struct MountLog {
    met: Mutex<Mounts>,
    known: Option<Mounts>,
}

impl MountLog {
    pub(super) fn new(root: MountId, known: Option<&Mounts>) -> MountLog {
        MountLog { met: Mutex::new(Mounts::from([root])), known: known.cloned() }
    }

    fn met(&self) -> MutexGuard<'_, Mounts> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the mount that a link leads to; the link is judged by itself.
    pub(super) fn add(&self, mount: MountId) {
        self.met().insert(mount);
    }

    /// Adds the mount of what was opened without a link; it is an error if the mount came after the first search.
    pub(super) fn note(&self, opened: BorrowedFd<'_>) -> Result<(), Errno> {
        let Ok(mount) = mount_of(opened) else { return Ok(()) };
        let is_new = self.met().insert(mount);
        match is_new && self.known.as_ref().is_some_and(|known| !known.contains(&mount)) {
            true => {
                self.met().remove(&mount);
                Err(Errno::XDEV)
            }
            false => Ok(()),
        }
    }

    pub(super) fn taken(&self) -> Mounts {
        std::mem::take(&mut self.met())
    }
}

/// Opens what is below `fd`, or an absolute path, with no link anywhere on the way.
pub(super) fn open_plain(fd: BorrowedFd<'_>, path: &Path, flags: OFlags, mounts: &MountLog) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let plain = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        // A path from the top crosses mounts before it gets anywhere.
        let within = if path.is_absolute() { plain } else { plain | ResolveFlags::NO_XDEV };
        match retry_on_intr(|| openat2(fd, path, flags, Mode::empty(), within)) {
            Err(Errno::NOSYS | Errno::PERM) => {}
            Err(Errno::XDEV) => {
                let opened = retry_on_intr(|| openat2(fd, path, flags, Mode::empty(), plain))?;
                mounts.note(opened.as_fd())?;
                return Ok(opened);
            }
            outcome => return outcome,
        }
    }
    let opened = open_by_steps(fd, path, flags)?;
    mounts.note(opened.as_fd())?;
    Ok(opened)
}

/// The same where the kernel has no such call.
fn open_by_steps(fd: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    match path.strip_prefix("/") {
        Ok(below) => {
            let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let top = retry_on_intr(|| rustix::fs::open(c"/", folder, Mode::empty()))?;
            crate::resource::open_plain(top.as_fd(), below, flags)
        }
        Err(_) => crate::resource::open_plain(fd, path, flags),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the kernel cannot refuse links on the way, the steps do.
    #[test]
    fn step_by_step_no_link_is_followed_either() {
        let root = tempfile::tempdir().unwrap();
        let real = std::fs::canonicalize(root.path()).unwrap();
        fs_err::create_dir(real.join("skill")).unwrap();
        fs_err::write(real.join("skill/SKILL.md"), "text").unwrap();
        std::os::unix::fs::symlink("skill", real.join("folder")).unwrap();
        std::os::unix::fs::symlink("SKILL.md", real.join("skill/file")).unwrap();
        let dir = std::fs::File::open(&real).unwrap();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = |rel: &Path| open_by_steps(dir.as_fd(), rel, flags).map(drop);
        assert_eq!(open(Path::new("skill/SKILL.md")), Ok(()));
        assert_eq!(open(&real.join("skill/SKILL.md")), Ok(()));
        assert_eq!(open(Path::new("skill/file")), Err(Errno::LOOP));
        assert!(matches!(open(Path::new("folder/SKILL.md")), Err(Errno::LOOP | Errno::NOTDIR)));
        assert!(matches!(open(&real.join("folder/SKILL.md")), Err(Errno::LOOP | Errno::NOTDIR)));
        assert_eq!(open(Path::new("skill/none")), Err(Errno::NOENT));
    }
}
