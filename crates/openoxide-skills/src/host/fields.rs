//! What a host reads of the frontmatter's fields, of the description, and of the metadata file beside a skill.

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
    /// A field that keeps a skill back, with a value that is neither yes nor no.
    pub unclear: UnclearControl,
    /// Other spellings of keys that are understood.
    pub spellings: Vec<Spelling>,
    /// Longest `compatibility`; more is invalid.
    pub compatibility_max: Option<usize>,
    /// Keys whose value makes the skill invalid if it has a wrong type: `compatibility` is a text, `metadata` a map.
    pub strict: Vec<String>,
}

/// A field that keeps a skill back, with a value that is neither yes nor no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnclearControl {
    /// As if the field were not there.
    #[default]
    Ignore,
    /// The skill is kept back.
    Close,
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

/// What descriptions must be like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DescriptionRules {
    /// Whether a skill without one is invalid.
    pub required: bool,
    /// What a description that is there and empty is.
    pub empty: EmptyText,
    /// Most characters; more is invalid.
    pub max: Option<usize>,
    /// More characters than this get a warning.
    pub max_advised: Option<usize>,
    /// Whether blanks at both ends do not count towards that.
    pub max_trimmed: bool,
    /// The first line of the body that is not blank, heading marks removed, stands in for a missing one; absent: nothing
    /// does.
    pub first_line: Option<FirstLine>,
}

/// What a description that is there and empty is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyText {
    /// None at all.
    #[default]
    Missing,
    /// A description like any other.
    Counts,
    /// None, but nothing is missing: the key alone is enough, even without a value.
    Allowed,
    /// A description, and so is any other value but nothing, no and zero; what is not text shows as empty.
    Loose,
}

/// A line of the body that stands in for a missing description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstLine {
    /// Most characters of it; more is cut and ends in `...`.
    pub max: usize,
    /// What stands in when there is not even a body.
    pub empty: String,
}

/// The metadata file beside a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SidecarRules {
    /// Paths inside the skill's folder; the first that exists is read.
    pub files: Vec<String>,
    /// What one bad value drops.
    #[serde(default)]
    pub bad: SidecarBad,
    /// Products that `policy.products` may name, first the one that it must name if it names any; another one is a bad
    /// value. Empty: any, and none must be.
    #[serde(default)]
    pub products: Vec<String>,
    /// Whether a plugin's skill can also name a picture in the `assets` of the plugin.
    #[serde(default)]
    pub plugin_assets: bool,
}

/// What one bad value in a metadata file drops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SidecarBad {
    /// That value alone.
    #[default]
    Field,
    /// The whole file.
    File,
}
