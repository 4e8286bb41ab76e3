#![doc = include_str!("../README.md")]

// Values: what a snapshot is made for, what it holds, and how two of them differ.
mod change;
mod options;
mod snapshot;

// One place: what may have changed, when to look, and how the next snapshot is made.
mod debounce;
mod dirty;
mod loader;

// The system's events: which folders are watched, and for which place.
mod path_steps;
mod watch;

// All places: the cache, the callers it serves, and the thread that keeps it fresh.
mod cache;
mod event_loop;
mod live;
mod mailbox;
mod message;
mod pin;
mod subscribers;

pub use change::{Change, SkillChange};
pub use live::Live;
pub use openoxide_config::Place;
pub use options::{LiveOptions, WatchMode};
pub use pin::Pin;
pub use snapshot::{PlaceSettings, Snapshot};
pub use subscribers::Subscription;
