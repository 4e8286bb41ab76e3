//! What the system tells about folders: one watcher for all places.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
mod registry;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Watcher;
#[cfg(target_os = "linux")]
pub(crate) use linux::Watcher;
pub(crate) use registry::{Needs, Registry};

/// What the system told.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux tells"))]
pub(crate) enum Event {
    /// Something happened to an entry of a folder.
    Entry {
        /// The folder's watch.
        watch: i32,
        /// The entry.
        name: std::ffi::OsString,
        /// Whether it is a folder that came, went or moved, or that others may read now.
        folder: bool,
    },
    /// Something happened to a folder itself.
    Itself {
        /// The folder's watch.
        watch: i32,
    },
    /// A watch ended, or its folder is elsewhere now.
    Lost {
        /// The watch.
        watch: i32,
        /// Whether the system still watches.
        moved: bool,
    },
    /// There was too much to tell.
    Overflow,
}

/// Why a folder is not watched.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux tells"))]
pub(crate) enum NotWatched {
    /// There is no such folder, or it is not to be seen.
    Absent,
    /// The system has no room for more.
    Full(String),
}
