//! Which fields of the frontmatter a host reads, and how they are written.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which fields are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FieldRules {
    /// Keys that are read; empty means every key that has a meaning anywhere.
    pub read: Vec<String>,
    /// A key that is not read.
    pub unknown: UnknownFields,
    /// How a yes or no is written.
    pub bools: BoolRule,
    /// Other spellings of keys that are understood.
    pub spellings: Vec<Spelling>,
    /// Longest `compatibility`; more is invalid.
    pub compatibility_max: Option<usize>,
    /// Keys whose value makes the skill invalid if it has a wrong type: `compatibility` is a text, `metadata` a map.
    pub strict: Vec<String>,
}

/// Another spelling of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// `_` for `-`.
    Underscores,
    /// `camelCase` for `kebab-case`.
    CamelCase,
}

impl FieldRules {
    /// Tells whether a value of a wrong type under this key makes the skill invalid.
    pub(crate) fn is_strict(&self, key: &str) -> bool {
        self.strict.iter().any(|strict| strict == key)
    }
}

/// A key that is not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownFields {
    /// Kept, without a word.
    #[default]
    Keep,
    /// Kept, with a warning.
    Warn,
    /// The skill is invalid.
    Error,
}

/// How a yes or no is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoolRule {
    /// `true` or `false`.
    #[default]
    Core,
    /// Also yes, no, on, off, 1 and 0, in any case, quoted or not.
    Loose,
}
