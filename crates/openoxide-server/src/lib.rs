#![doc = include_str!("../README.md")]

mod activate;
mod answer;
mod audit;
mod calling;
pub mod connect;
mod door;
mod engine;
mod http;
mod line;
mod lines;
mod log;
pub mod mcp;
mod metrics;
mod moment;
mod pool;
mod rpc;
mod still;
mod stop;
mod strict;

pub use self::http::{Served, openapi, router};
pub use activate::{Asker, Conversation, Nobody, Stand};
pub use answer::{ErrorAnswer, ErrorLine, Failure, Peer, Proven, RequestId};
pub use audit::{Action, Actor, Audit, Decision, Face, Noted};
pub use calling::Calling;
pub use door::{Door, DoorLimits, DoorOptions, ListenError, Listening, Token, TokenError, serve};
pub use engine::{Engine, EngineOptions, Tell};
pub use log::{Log, LogForm};
pub use metrics::Metrics;
pub use pool::{Pool, Slot, Unavailable};
pub use rpc::{RpcOptions, serve as serve_rpc};
pub use stop::Stopping;
