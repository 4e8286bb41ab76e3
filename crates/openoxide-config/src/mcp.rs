//! The MCP servers under `[mcp.servers.NAME]` of `config.toml`.

pub(crate) mod add;
pub(crate) mod parse;

use openoxide_skills::settings::Origin;

use crate::TokenSource;
use crate::document::dotted_key::join_key;

/// An MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// How it is reached.
    pub transport: McpTransport,
    /// Whether it is used.
    pub enabled: bool,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpTransport {
    /// A command that is started, with messages on its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// The names of the variables that it gets. Their values are never written down.
        env: Vec<String>,
    },
    /// An address.
    Http {
        /// The address.
        url: String,
        /// Where the token is that the server requires, if it requires one.
        token: Option<TokenSource>,
    },
}

impl McpTransport {
    /// Returns the word used in files.
    pub fn as_str(&self) -> &'static str {
        match self {
            McpTransport::Stdio { .. } => "stdio",
            McpTransport::Http { .. } => "streamable_http",
        }
    }
}

/// A server with its name and the place where it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredServer {
    /// The name.
    pub name: String,
    /// The server.
    pub server: McpServer,
    /// Where it is set.
    pub origin: Origin,
}

pub(crate) fn server_key(name: &str) -> String {
    join_key(&["mcp", "servers", name])
}

#[cfg(test)]
mod tests;
