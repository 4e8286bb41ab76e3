//! What faces drive operations with: the sandbox for commands, and clients of MCP servers.

mod commands;
mod servers;

pub use commands::CommandRunner;
pub use openoxide_mcp_client::LoginDriver;
pub use servers::{BlockingMcpServers, McpServers};
