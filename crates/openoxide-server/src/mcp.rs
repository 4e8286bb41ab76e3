//! The MCP server: skills as tools, prompts and resources, over stdio and HTTP.
//!
//! Two ways to talk are served alike: revision 2025-11-25 and older, which begin with `initialize`, and revision
//! 2026-07-28, in which every request stands alone. For tools and resources the caller is the model; for prompts it is
//! the user.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use openoxide_app::Session;
use rmcp::ServiceExt as _;
use tokio::sync::Mutex;

use crate::drive::Conversation;
use crate::engine::Engine;

mod answer;
mod audit;
mod complete;
mod directory;
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
mod remote;
mod resources;
mod sessions;
mod skills;
mod stdio;
mod tools;
mod view;

pub use http::{McpHttp, http_service};

use view::Shared;

/// How the server shows itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpOptions {
    /// Names of tools that the client has already.
    pub taken: Vec<String>,
    /// How names of tools are spelled.
    pub names: ToolNames,
}

/// How names of tools are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// With letters, digits, `_` and `-` only: many programs that talk to models take nothing else.
    #[default]
    Plain,
    /// As the host writes them, dots included.
    Dotted,
}

impl ToolNames {
    /// Spells a name.
    fn spell(self, name: &str) -> String {
        match self {
            ToolNames::Dotted => name.to_owned(),
            ToolNames::Plain => {
                let plain = |sign: char| if sign.is_ascii_alphanumeric() || "_-".contains(sign) { sign } else { '_' };
                name.chars().map(plain).collect()
            }
        }
    }
}

/// One conversation with a client.
#[derive(Clone)]
pub(crate) struct McpServer {
    shared: Arc<Shared>,
    session: Conversation,
    /// Whether all requests are of one conversation, whatever they say.
    one_conversation: bool,
    /// Whether the client is told about changes already.
    told: Arc<AtomicBool>,
}

impl McpServer {
    fn new(shared: Arc<Shared>, one_conversation: bool) -> McpServer {
        let session = Arc::new(Mutex::new(Session::new(openoxide_app::random_name().unwrap_or_default())));
        McpServer { shared, session, one_conversation, told: Arc::default() }
    }
}

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
    let server = McpServer::new(Arc::new(Shared::new(engine, options)), true);
    let running = match server.serve(stdio::StdioTransport::new(input, output)).await {
        Ok(running) => running,
        // A client that looked and left did nothing wrong.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Beginning(error.to_string())),
    };
    running.waiting().await.map(drop).map_err(|error| McpError::Ended(error.to_string()))
}
