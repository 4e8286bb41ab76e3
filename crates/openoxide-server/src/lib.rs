#![doc = include_str!("../README.md")]

mod activate;
mod engine;
mod pool;
mod rpc;

pub use activate::{Asker, Nobody, Stand};
pub use engine::{Engine, EngineOptions};
pub use pool::{Pool, Slot, Unavailable};
pub use rpc::{RpcOptions, serve as serve_rpc};
