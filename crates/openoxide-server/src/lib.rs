#![doc = include_str!("../README.md")]

mod access;
mod answer;
mod blocking_pool;
mod bounded_read;
pub mod connect;
mod conversations;
mod drive;
mod engine;
mod http;
mod ingress;
pub mod mcp;
mod observe;
mod pending_operation;
mod rpc;
mod shares;
mod shutdown;
mod strict_json;

pub use self::http::{HttpOptions, Login, openapi, router};
pub use access::{
    AccessToken, Announced, BrowserSessions, Identity, NewSession, OneTimeLinks, OwnToken, Token, TokenError,
    TokenFile, TokenFileError,
};
pub use answer::{Peer, RequestId};
pub use blocking_pool::{BlockingPool, Slot, Unavailable};
pub use engine::{Engine, EngineOptions, Tell};
pub use ingress::{Access, BoundListener, Ingress, IngressLimits, IngressOptions, ListenError, serve};
pub use observe::log::{Log, LogError, LogFormat, LogOptions};
pub use observe::metrics::Metrics;
pub use rpc::{RpcOptions, serve as serve_rpc};
pub use shutdown::Shutdown;

pub(crate) use answer::Failure;
pub(crate) use drive::{Asker, Nobody, Operation, Progress};
pub(crate) use engine::Present;
pub(crate) use observe::audit::{Action, Actor, Decision, Face};
pub(crate) use pending_operation::{
    Asked, ClientProgram, Conversation, Earlier, Machine, Owner, Pend, PendingOperation, PendingWork, RequestKey,
};
