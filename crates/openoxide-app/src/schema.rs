//! Use case: the JSON Schemas of every file that is read and every answer that is written.

use openoxide_config::config_schema;
use openoxide_skills::host::Host;
use openoxide_wire::answer_schemas;
use serde_json::Value;

/// Returns the schemas by name: files end in `.toml`, the others are answers. The document of a server's routes is the
/// server's own.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let mut schemas = vec![("config.toml", config_schema()), ("host.toml", schemars::schema_for!(Host).into())];
    schemas.extend(answer_schemas());
    schemas
}
