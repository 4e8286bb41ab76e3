//! Watches folders through the system: one watcher for all places.

#[cfg(all(target_os = "linux", not(feature = "portable-watcher")))]
mod inotify;
mod needs;
#[cfg(any(not(target_os = "linux"), feature = "portable-watcher"))]
mod portable;
mod registry;

use std::ffi::OsString;

#[cfg(all(target_os = "linux", not(feature = "portable-watcher")))]
pub(crate) use inotify::Watcher;
pub(crate) use needs::Needs;
#[cfg(any(not(target_os = "linux"), feature = "portable-watcher"))]
pub(crate) use portable::Watcher;
pub(crate) use registry::Registry;

/// An event of the system. A watch is a number that the watcher gave.
pub(crate) enum Event {
    /// An entry of a folder changed, or the folder itself.
    Changed {
        watch: i32,
        /// The entry; absent for the folder itself.
        name: Option<OsString>,
        /// Whether this is a folder that was created, removed or moved, or whose permissions changed.
        folder: bool,
    },
    /// A watch ended, or its folder has moved.
    Lost {
        watch: i32,
        /// Whether the system still watches the folder, at its new path.
        moved: bool,
    },
    /// The system dropped events.
    Overflow,
}

pub(crate) enum WatchError {
    /// There is no such folder, or it cannot be read.
    Absent,
    /// The system cannot watch more folders.
    LimitReached(String),
}
