//! Watches folders through inotify.
//!
//! By hand, because `notify` scans all its watches for each folder that goes (1,000 of 10,000: 1.3 s of CPU, here 0.1 s) and
//! reports paths instead of watch descriptors, which tell a folder that moved from another one at its path. Only changes
//! are subscribed to: with reads as well, a search would cause events that lead to the next search.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::{Event, WatchError};

pub(crate) struct Watcher {
    fd: OwnedFd,
}

impl Watcher {
    /// Whether one watch covers all folders below its folder.
    pub(crate) const COVERS_TREE: bool = false;

    pub(crate) fn new() -> Result<Watcher, String> {
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK);
        fd.map(|fd| Watcher { fd }).map_err(|error| match error {
            Errno::MFILE | Errno::NFILE => {
                "no more watchers are allowed (fs.inotify.max_user_instances, or open files)".to_owned()
            }
            error => format!("folders cannot be watched: {error}"),
        })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Watches a folder. A folder that is watched already keeps its number.
    pub(crate) fn add(&self, folder: &Path, _tree: bool) -> Result<i32, WatchError> {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        inotify::add_watch(&self.fd, folder, flags).map_err(|error| match error {
            Errno::NOSPC => {
                WatchError::LimitReached("the system watches no more folders (fs.inotify.max_user_watches)".into())
            }
            Errno::NOMEM => WatchError::LimitReached("the system has no memory to watch more folders".into()),
            _ => WatchError::Absent,
        })
    }

    pub(crate) fn remove(&self, watch: i32) {
        // The watch of a folder that is gone has ended by itself.
        inotify::remove_watch(&self.fd, watch).unwrap_or_default();
    }

    /// Passes on all events that wait.
    pub(crate) fn read(&self, mut take: impl FnMut(Event)) {
        let mut buffer = [const { MaybeUninit::uninit() }; 16 * 1024];
        let mut reader = Reader::new(&self.fd, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(_) => return,
            };
            let (watch, what) = (event.wd(), event.events());
            if what.contains(ReadFlags::QUEUE_OVERFLOW) {
                take(Event::Overflow);
            } else if what.contains(ReadFlags::IGNORED) {
                take(Event::Lost { watch, moved: false });
            } else if let Some(name) = event.file_name() {
                // A folder whose permissions changed may be readable now and has to be watched.
                let may_need_watch = ReadFlags::CREATE
                    | ReadFlags::DELETE
                    | ReadFlags::MOVED_FROM
                    | ReadFlags::MOVED_TO
                    | ReadFlags::ATTRIB;
                let folder = what.contains(ReadFlags::ISDIR) && what.intersects(may_need_watch);
                let name = Some(OsStr::from_bytes(name.to_bytes()).to_owned());
                take(Event::Changed { watch, name, folder });
            } else {
                take(Event::Changed { watch, name: None, folder: true });
                if what.contains(ReadFlags::MOVE_SELF) {
                    take(Event::Lost { watch, moved: true });
                }
            }
        }
    }
}
