//! The MCP servers under `[mcp.servers.NAME]` of `config.toml`, and the dotted keys of their fields.

pub(crate) mod add;
pub(crate) mod parse;

use openoxide_skills::settings::Origin;

use crate::document::dotted_key::{join_key, split_key};

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

/// Where a token is. It is never in the settings themselves, which people show and share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// In this variable.
    Variable(String),
    /// In this file, whose path is absolute or begins with `~/`.
    File(String),
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

/// Tells whether the parts of a dotted key are those of a server's command or address.
pub(crate) fn is_endpoint_key(parts: &[String]) -> bool {
    matches!(parts, [mcp, servers, _, field]
        if mcp == "mcp" && servers == "servers" && (field == "url" || field == "command"))
}

/// Returns the dotted key of the server that a key is a field of.
pub(crate) fn enclosing_server(key: &str) -> Option<String> {
    let parts = split_key(key);
    let is_field = parts.len() > 3 && parts[0] == "mcp" && parts[1] == "servers";
    is_field.then(|| server_key(&parts[2]))
}

#[cfg(test)]
mod tests;
