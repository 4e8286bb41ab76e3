//! Watches folders through the system: one watcher for all places.

mod backend;
mod event;
#[cfg(all(target_os = "linux", not(feature = "portable-watcher")))]
mod inotify;
mod needs;
#[cfg(any(not(target_os = "linux"), feature = "portable-watcher"))]
mod portable;
mod registry;

pub(crate) use backend::Watcher;
pub(crate) use needs::Needs;
pub(crate) use registry::Registry;
