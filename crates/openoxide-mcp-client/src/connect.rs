//! Connections to MCP servers, over standard input and output or over HTTP.

mod connection;
mod fault;
mod http;
mod stdio;
mod tls;
mod token;

pub(crate) use connection::{Connection, Target};
pub(crate) use fault::{Fault, innermost};
pub(crate) use tls::tls;
