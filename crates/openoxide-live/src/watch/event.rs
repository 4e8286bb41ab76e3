//! The events that a watcher reports, the same on every system.

use std::ffi::OsString;

/// An event of the system. A watch is a number that the watcher gave.
pub(crate) enum Event {
    /// An entry of a folder changed.
    Entry {
        /// The folder's watch.
        watch: i32,
        /// The entry's name.
        name: OsString,
        /// Whether the entry is a folder that was created, removed or moved, or whose permissions changed.
        folder: bool,
    },
    /// The folder itself changed.
    Itself {
        /// The folder's watch.
        watch: i32,
    },
    /// A watch ended, or its folder has moved.
    Lost {
        /// The watch.
        watch: i32,
        /// Whether the system still watches the folder, at its new path.
        moved: bool,
    },
    /// The system dropped events.
    Overflow,
}

/// The reason why a folder is not watched.
pub(crate) enum WatchError {
    /// There is no such folder, or it cannot be read.
    Absent,
    /// The system cannot watch more folders.
    LimitReached(String),
}
