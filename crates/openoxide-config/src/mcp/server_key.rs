//! Recognizes dotted keys below `mcp.servers`.

use crate::document::dotted_key::{join_key, split_key};

/// Returns the dotted key of a server.
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
