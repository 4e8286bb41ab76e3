#![doc = include_str!("../README.md")]

mod change;
mod hit;
mod keep;
mod live;
mod once;
mod pace;
mod pin;
mod place;
mod round;
mod shared;
mod snapshot;
mod tell;
mod watch;
mod way;

pub use change::{Change, SkillChange};
pub use live::{Live, LiveOptions, WatchMode};
pub use pin::Pin;
pub use place::Place;
pub use snapshot::{LiveError, PlaceSettings, Snapshot};
pub use tell::Subscription;
