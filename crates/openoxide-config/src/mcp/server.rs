//! An MCP server as settings describe it.

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
