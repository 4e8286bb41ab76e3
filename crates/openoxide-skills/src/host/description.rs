//! What descriptions must be like, and what stands in for a missing one.

use schemars::JsonSchema;
use serde::Deserialize;

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

impl DescriptionRules {
    /// Returns what stands in for a missing description when there is no body either.
    pub(crate) fn stand_in(&self) -> &str {
        self.first_line.as_ref().map_or("", |line| &line.empty)
    }
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
