#![doc = include_str!("../README.md")]

mod change;
mod live;
mod place;
mod state;

pub use change::{Change, SkillChange};
pub use live::{Live, LiveOptions, Subscription, Watching};
pub use place::Place;
pub use state::{LiveError, State};
