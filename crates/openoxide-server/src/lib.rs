#![doc = include_str!("../README.md")]

mod activate;
mod engine;
mod pool;

pub use activate::{Asker, Nobody, Stand};
pub use engine::{Engine, EngineOptions};
pub use pool::{Pool, Slot, Unavailable};
