#![doc = include_str!("../README.md")]

mod activate;
pub mod connect;
mod engine;
pub mod mcp;
mod pool;

pub use activate::{Asker, Nobody, Stand};
pub use engine::{Engine, EngineOptions};
pub use pool::{Pool, Slot, Unavailable};
