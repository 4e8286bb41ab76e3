#![doc = include_str!("../README.md")]

// Values: what a snapshot is made for, what it holds, and how two of them differ.
mod change;
mod options;
mod place;
mod snapshot;

// One place: what may have changed, when to look, and how the next snapshot is made.
mod debounce;
mod dirty;
mod loader;
mod slot;

// The system's events: which folders are watched, and for which place.
mod path_steps;
mod watch;

// All places: the cache, the callers it serves, and the thread that keeps it fresh.
mod cache;
mod event_loop;
mod live;
mod mailbox;
mod pin;
mod polling_notice;
mod subscribers;
mod wake;

pub use change::{Change, SkillChange};
pub use live::Live;
pub use options::{LiveOptions, WatchMode};
pub use pin::Pin;
pub use place::Place;
pub use snapshot::{LiveError, PlaceSettings, Snapshot};
pub use subscribers::Subscription;
