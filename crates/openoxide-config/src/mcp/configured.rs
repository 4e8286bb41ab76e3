//! The servers of all layers together.

use openoxide_skills::settings::Origin;
use toml::Value;

use super::parse::parse_server;
use super::server::McpServer;
use super::server_key::server_key;
use crate::settings::config::Config;

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

impl Config {
    /// Returns the servers, sorted by name. Where several layers have one of the same name, the last replaces the
    /// others as a whole: a mixture would be a server that nobody wrote.
    pub fn mcp_servers(&self) -> Vec<ConfiguredServer> {
        let mut servers: Vec<ConfiguredServer> = Vec::new();
        for layer in self.layers.iter().filter(|layer| layer.is_active) {
            let tables = layer.document.get("mcp.servers").and_then(Value::as_table).into_iter().flatten();
            for (name, table) in tables {
                let Ok(server) = parse_server(name, table) else { continue };
                let origin = layer.origin(&server_key(name));
                servers.retain(|other| other.name != *name);
                servers.push(ConfiguredServer { name: name.clone(), server, origin });
            }
        }
        servers.sort_by(|left, right| left.name.cmp(&right.name));
        servers
    }
}
