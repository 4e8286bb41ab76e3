//! Empties a folder of whatever a command left in it: any depth, any mode, with few descriptors and no recursion.
//!
//! A folder with contents is moved up into the top folder, under a number, and waits there for its turn. So no path is
//! ever longer than two names, and what is still to do is two numbers. Nothing is reached but by the name that it has in
//! a folder that is open: no link is followed, and what is mounted there stays.

use std::ffi::CStr;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::{Errno, Result};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Removes everything in a folder. What cannot be removed stays, with the first error, and the rest goes nevertheless.
pub(super) fn empty(top: BorrowedFd<'_>) -> Result<()> {
    let mut work = Emptying { top, given: 0, done: 0, failed: Ok(()) };
    work.empty_one(top);
    while work.done < work.given {
        work.finish_next();
    }
    work.failed
}

struct Emptying<'t> {
    top: BorrowedFd<'t>,
    /// How many numbers were given. Those from `done` on wait in the top folder.
    given: u64,
    done: u64,
    failed: Result<()>,
}

impl Emptying<'_> {
    fn note<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.failed = self.failed.and(Err(error))).ok()
    }

    /// Empties and removes the folder whose turn it is.
    fn finish_next(&mut self) {
        let name = self.done.to_string();
        self.done += 1;
        // A number that the command used itself may name a file.
        let result = match remove(self.top, name.as_str()) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => open(self.top, name.as_str()).and_then(|folder| {
                self.empty_one(folder.as_fd());
                remove(self.top, name.as_str())
            }),
            removed => removed,
        };
        self.note(result);
    }

    /// Removes what is in a folder, and moves up what has contents itself.
    fn empty_one(&mut self, folder: BorrowedFd<'_>) {
        // A folder that changes while it is read may leave out names, so it is read until nothing more can be done.
        while self.read_once(folder) {}
    }

    /// Tells whether anything was removed or moved up.
    fn read_once(&mut self, folder: BorrowedFd<'_>) -> bool {
        let mut is_changed = false;
        let entries = Dir::read_from(folder);
        for entry in self.note(entries).into_iter().flatten() {
            let Some(entry) = self.note(entry) else { break };
            let name = entry.file_name();
            if [c".", c".."].contains(&name) || self.is_waiting(folder, name) {
                continue;
            }
            let result = match remove(folder, name) {
                Err(Errno::NOTEMPTY | Errno::EXIST) => self.move_up(folder, name),
                removed => removed,
            };
            is_changed |= self.note(result).is_some();
        }
        is_changed
    }

    /// Tells whether a name in the top folder is a number whose turn comes.
    fn is_waiting(&self, folder: BorrowedFd<'_>, name: &CStr) -> bool {
        let number = || name.to_str().ok()?.parse::<u64>().ok();
        // A number can also be written in other ways, such as with zeros before it.
        let is_given = |number: u64| number < self.given && number.to_string().as_bytes() == name.to_bytes();
        folder.as_raw_fd() == self.top.as_raw_fd() && number().is_some_and(is_given)
    }

    /// Gives a folder the next number. One that the command used itself has its turn too.
    fn move_up(&mut self, folder: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        loop {
            let number = self.given.to_string();
            self.given += 1;
            let rename = || rustix::fs::renameat(folder, name, self.top, number.as_str());
            let moved = match rename() {
                // Only what its owner may write to moves to another folder.
                Err(Errno::ACCESS) => open(folder, name).and_then(|_| rename()),
                moved => moved,
            };
            match moved {
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                moved => return moved,
            }
        }
    }
}

/// Removes a file or an empty folder.
fn remove(folder: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy) -> Result<()> {
    let removed = match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR),
        removed => removed,
    };
    removed.or_else(|error| if error == Errno::NOENT { Ok(()) } else { Err(error) })
}

/// Opens a folder, and lets its owner do everything there.
fn open(folder: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy) -> Result<OwnedFd> {
    let opened = match open_here(folder, name, FOLDER) {
        Err(Errno::ACCESS) => {
            unlock(folder, name)?;
            open_here(folder, name, FOLDER)?
        }
        opened => opened?,
    };
    rustix::fs::fchmod(&opened, Mode::RWXU)?;
    Ok(opened)
}

/// Changes the mode of a folder that its owner may not open.
#[cfg(target_os = "linux")]
fn unlock(folder: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy) -> Result<()> {
    let held = open_here(folder, name, OFlags::PATH | FOLDER)?;
    rustix::fs::chmod(format!("/proc/self/fd/{}", held.as_raw_fd()), Mode::RWXU)
}

#[cfg(not(target_os = "linux"))]
fn unlock(folder: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy) -> Result<()> {
    rustix::fs::chmodat(folder, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}

/// Opens a folder that lies on the same mount as the one it is in.
fn open_here(folder: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy, flags: OFlags) -> Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        match rustix::fs::openat2(folder, name, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened,
        }
    }
    let opened = rustix::fs::openat(folder, name, flags, Mode::empty())?;
    let is_same = rustix::fs::fstat(&opened)?.st_dev == rustix::fs::fstat(folder)?.st_dev;
    if is_same { Ok(opened) } else { Err(Errno::XDEV) }
}
