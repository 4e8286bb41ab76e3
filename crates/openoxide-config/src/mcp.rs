//! The MCP servers under `[mcp.servers.NAME]` of `config.toml`.

pub(crate) mod add;
pub(crate) mod parse;
pub(crate) mod server;

#[cfg(test)]
mod tests;
