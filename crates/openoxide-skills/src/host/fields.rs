//! What a host reads of the frontmatter's fields, of the description, and of the metadata file beside a skill.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which fields are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FieldRules {
    /// Keys that are read; empty: every key that some host knows.
    pub read: Vec<String>,
    /// Unknown keys.
    pub unknown: UnknownFields,
    /// How `true` and `false` may be written.
    pub bools: BoolRule,
    /// A field that restricts a skill, with a value that is neither `true` nor `false`.
    pub unclear: UnclearControl,
    /// Other spellings of keys.
    pub spellings: Vec<Spelling>,
    /// Longest `compatibility`; more is invalid.
    pub compatibility_max: Option<usize>,
    /// Keys that make the skill invalid if their value has a wrong type (`compatibility` is text, `metadata` a map).
    pub strict: Vec<String>,
}

/// A field that restricts a skill, with a value that is neither `true` nor `false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnclearControl {
    /// The field is ignored.
    #[default]
    Ignore,
    /// The skill is restricted.
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

/// Unknown keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownFields {
    /// Kept.
    #[default]
    Keep,
    /// Kept, with a warning.
    Warn,
    /// The skill is invalid.
    Error,
}

/// How `true` and `false` may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoolRule {
    /// `true` or `false`.
    #[default]
    Core,
    /// Also yes, no, on, off, 1 and 0, in any case, quoted or not.
    Loose,
}

/// Rules for descriptions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DescriptionRules {
    /// Whether a skill without one is invalid.
    pub required: bool,
    /// An empty description.
    pub empty: EmptyText,
    /// Most characters; more is invalid.
    pub max: Option<usize>,
    /// More characters than this get a warning.
    pub max_advised: Option<usize>,
    /// Whether blanks at both ends are left out of these lengths.
    pub max_trimmed: bool,
    /// The first line of the body, without heading marks, is used if there is none; absent: nothing
    /// does.
    pub first_line: Option<FirstLine>,
}

/// An empty description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyText {
    /// The description is missing.
    #[default]
    Missing,
    /// A valid description.
    Kept,
    /// Accepted: the key alone is enough, even without a value.
    Allowed,
    /// Accepted, and so is any value but null, `false` and zero; a value that is not text shows as empty.
    Loose,
}

/// A line of the body that is used for a missing description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstLine {
    /// Most characters; a longer one is cut and ends in `...`.
    pub max: usize,
    /// The description if there is no body either.
    pub empty: String,
    /// What becomes of half a character where it is cut, in UTF-16 units; absent: a replacement character.
    #[serde(default)]
    pub half: Option<char>,
}

/// The metadata file beside a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SidecarRules {
    /// Paths inside the skill's folder; the first that exists is read.
    pub files: Vec<String>,
    /// What is dropped because of one bad value.
    #[serde(default)]
    pub bad: SidecarBad,
    /// Products that `policy.products` may name; if it names any, the first must be among them. Any other is a bad
    /// value. Empty: any product.
    #[serde(default)]
    pub products: Vec<String>,
    /// Whether a plugin's skill can also name a picture in the `assets` of the plugin.
    #[serde(default)]
    pub plugin_assets: bool,
}

/// What is dropped because of one bad value in a metadata file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SidecarBad {
    /// Only that value.
    #[default]
    Field,
    /// The whole file.
    File,
}
