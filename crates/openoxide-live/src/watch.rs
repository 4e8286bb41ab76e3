//! Watches folders through the system: one watcher for all places.

mod event;
#[cfg(all(target_os = "linux", not(feature = "portable-watcher")))]
mod inotify;
mod needs;
#[cfg(any(not(target_os = "linux"), feature = "portable-watcher"))]
mod portable;
mod registry;

#[cfg(all(target_os = "linux", not(feature = "portable-watcher")))]
pub(crate) use inotify::Watcher;
pub(crate) use needs::Needs;
#[cfg(any(not(target_os = "linux"), feature = "portable-watcher"))]
pub(crate) use portable::Watcher;
pub(crate) use registry::Registry;
