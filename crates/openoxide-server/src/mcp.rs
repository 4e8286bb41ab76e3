//! The MCP server: skills as tools, prompts and resources, over stdio and HTTP.
//!
//! Two kinds of the protocol are served alike: revision 2025-11-25 and older, which begin with `initialize`, and revision
//! 2026-07-28, in which every request stands alone. For tools and resources the caller is the model; for prompts it is
//! the user.

use std::sync::Arc;

use rmcp::ServiceExt as _;

use crate::Engine;

mod answer;
mod client;
mod complete;
mod elicit;
mod error;
mod handler;
mod http;
mod info;
mod message;
mod notify;
mod pagination;
mod prompts;
mod question;
mod read_room;
mod reading;
mod remote;
mod resources;
mod server;
mod sessions;
mod skill_list;
mod skills;
mod stdio;
mod tools;

pub use http::{McpHttp, http_service};
pub use server::{McpOptions, ToolNames};

// What the files of this room use of each other.
use answer::{forked, needs_approval, note, tool_result};
use elicit::{Elicited, Elicitor};
use error::{Context, Result, failed, internal, invalid, no_resource, shortened, unavailable, waits};
use pagination::{after, cursor, page};
use server::{McpServer, McpState, McpView};
use skills::TTL_MS;

/// Why the server on standard input and output ended.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The client did not begin as the protocol says.
    #[error("the client did not begin as MCP says: {0}")]
    Beginning(String),
    /// It ended otherwise than by the client's leave.
    #[error("the MCP server ended: {0}")]
    Ended(String),
}

/// Serves one client on standard input and output, until it leaves.
pub async fn serve_stdio(engine: Engine, options: McpOptions) -> Result<(), McpError> {
    let (input, output) = rmcp::transport::io::stdio_pipes();
    Box::pin(serve_on(engine, options, input, output)).await
}

/// Serves one client on a pair of streams, until it leaves.
pub async fn serve_on(
    engine: Engine,
    options: McpOptions,
    input: impl tokio::io::AsyncRead + Send + Unpin + 'static,
    output: impl tokio::io::AsyncWrite + Send + Unpin + 'static,
) -> Result<(), McpError> {
    let server = McpServer::new(Arc::new(McpState::new(engine, options)), true);
    let running = match server.serve(stdio::StdioTransport::new(input, output)).await {
        Ok(running) => running,
        // A client that looked and left did nothing wrong.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Beginning(error.to_string())),
    };
    running.waiting().await.map(drop).map_err(|error| McpError::Ended(error.to_string()))
}
