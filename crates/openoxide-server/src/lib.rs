#![doc = include_str!("../README.md")]

mod activate;
mod answer;
pub mod connect;
mod engine;
mod http;
pub mod mcp;
mod pool;

pub use self::http::{Served, router};
pub use activate::{Asker, Nobody, Stand};
pub use answer::{ErrorAnswer, ErrorLine, Failure, Peer, RequestId};
pub use engine::{Engine, EngineOptions};
pub use pool::{Pool, Slot, Unavailable};
