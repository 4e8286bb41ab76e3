//! `config --json`: settings with their origin.

use crate::{JsonSchema, ProblemLine, SchemaVersion, Serialize};

/// Settings with their origin.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConfigAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// Every setting.
    pub values: Vec<ConfigValue>,
    /// What is wrong with the files.
    pub problems: Vec<ProblemLine>,
}

/// A setting and where it was set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConfigValue {
    /// The dotted name.
    pub key: String,
    /// The value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// Where it was set.
    pub origin: String,
    /// What it is for.
    pub about: String,
}
