//! Chooses the watcher of this system.

#[cfg(all(target_os = "linux", not(feature = "portable-watcher")))]
pub(crate) use super::inotify::Watcher;
#[cfg(any(not(target_os = "linux"), feature = "portable-watcher"))]
pub(crate) use super::portable::Watcher;
