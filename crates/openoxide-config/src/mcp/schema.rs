//! The JSON Schema of the table of servers.

use serde_json::json;

/// Returns the JSON Schema of `mcp.servers`.
pub(crate) fn servers_schema() -> serde_json::Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "oneOf": [{"required": ["command"]}, {"required": ["url"]}],
            "properties": {
                "command": {"type": "string", "minLength": 1},
                "args": texts,
                "env": {"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}},
                "url": {"type": "string", "pattern": "^https?://"},
                "token_env": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
                "token_file": {"type": "string", "pattern": "^~?/"},
                "transport": {"enum": ["stdio", "streamable_http"]},
                "enabled": {"type": "boolean"},
            },
        },
    })
}
