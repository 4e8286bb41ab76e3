//! The JSON Schema of `config.toml`, drawn from the table of keys.

use serde_json::{Value, json};

use super::key::{ConfigKey, ValueKind};
use super::key_table::CONFIG_KEYS;
use crate::ModelApi;

/// Returns the JSON Schema of `config.toml`.
pub fn config_schema() -> Value {
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "OpenOxide config.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": {},
    });
    for key in CONFIG_KEYS {
        let mut at = &mut root;
        let mut parts = key.name.split('.').peekable();
        while let Some(part) = parts.next() {
            at = &mut at["properties"][part];
            if parts.peek().is_some() && at.is_null() {
                *at = json!({"type": "object", "additionalProperties": false, "properties": {}});
            }
        }
        *at = key_schema(key);
    }
    root
}

fn key_schema(key: &ConfigKey) -> Value {
    let mut schema = match key.kind {
        ValueKind::Bool => json!({"type": "boolean"}),
        ValueKind::Integer(least) => json!({"type": "integer", "minimum": least}),
        ValueKind::Share => json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
        ValueKind::HostName | ValueKind::ModelName => json!({"type": "string"}),
        ValueKind::Choice(choices) => json!({"enum": choices}),
        ValueKind::List | ValueKind::Codes | ValueKind::HostNames => {
            json!({"type": "array", "items": {"type": "string"}})
        }
        ValueKind::Rules => json!({"type": "array", "items": {
            "type": "object",
            "required": ["enabled"],
            "additionalProperties": false,
            "properties": {"name": {"type": "string"}, "path": {"type": "string"}, "enabled": {"type": "boolean"}},
        }}),
        ValueKind::Folders => json!({"type": "array", "items": {"type": "string", "pattern": "^(/|~/)"}}),
        ValueKind::Hosts => json!({"type": "object", "additionalProperties": {"type": "object"}}),
        ValueKind::Servers => servers_schema(),
        ValueKind::Models => models_schema(),
        ValueKind::Permissions => permission_schema(),
        ValueKind::Agents => json!({"type": "object", "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "permission": permission_schema(),
                "skills": {"type": "array", "items": {"type": "string"}},
            },
        }}),
    };
    schema["description"] = json!(key.about);
    schema
}

fn permission_schema() -> Value {
    let action = json!({"enum": ["allow", "ask", "deny"]});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let rule = json!({
        "type": "object",
        "required": ["pattern", "action"],
        "additionalProperties": false,
        "properties": {"pattern": {"type": "string"}, "action": action, "matches": texts, "not": texts},
    });
    let patterns = json!({"type": "object", "additionalProperties": action});
    let rules = json!({"type": "array", "items": rule});
    json!({"anyOf": [action, {"type": "object", "additionalProperties": {"anyOf": [action, patterns, rules]}}]})
}

fn servers_schema() -> Value {
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

fn models_schema() -> Value {
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "required": ["url"],
            "properties": {
                "url": {"type": "string", "pattern": "^https?://[^?#]+$"},
                "api": {"enum": ModelApi::WORDS},
                "model": {"type": "string", "minLength": 1},
                "key_env": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
                "key_file": {"type": "string", "pattern": "^~?/"},
                "context": {"type": "integer", "minimum": 1},
            },
        },
    })
}
