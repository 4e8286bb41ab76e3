#![doc = include_str!("../README.md")]

mod activate;
mod answer;
mod engine;
mod http;
mod pool;

pub use self::http::{Served, openapi, router};
pub use activate::{Asker, Nobody, Stand};
pub use answer::{ErrorAnswer, ErrorLine, Failure, Peer, RequestId};
pub use engine::{Engine, EngineOptions};
pub use pool::{Pool, Slot, Unavailable};
