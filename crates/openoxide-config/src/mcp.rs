//! The MCP servers under `[mcp.servers.NAME]` of `config.toml`.

pub(crate) mod add;
pub(crate) mod configured;
pub(crate) mod parse;
pub(crate) mod schema;
pub(crate) mod server;
pub(crate) mod server_key;

#[cfg(test)]
mod tests;
