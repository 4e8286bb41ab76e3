#![doc = include_str!("../README.md")]

// Values: what is said, what can fail, and how much is taken.
mod error;
mod limits;
mod message;
mod retry;

// The formats of servers, as values.
mod wire;

// One request to a server, over HTTP.
mod bounded;
mod http;

mod blocking;
mod local;
mod model;

pub use blocking::wait;
pub use error::ModelError;
pub use limits::Limits;
pub use local::{LocalServer, USUAL_PORTS, local_servers};
pub use message::{
    BadArguments, Message, Part, Reply, ReplyEvent, Request, Role, StopReason, Tool, ToolCall, ToolResult, Usage,
};
pub use model::{Model, ModelKey, ModelSpec};
