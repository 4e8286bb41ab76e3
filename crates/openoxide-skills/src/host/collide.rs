//! Which skill a host takes when two have the same name or the same file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::OrderKey;
use crate::skill::SkillScope;

/// What happens when two skills meet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CollideRules {
    /// Which of the skills with one name count.
    pub names: OnClash,
    /// The rank of the scopes; absent ones, or none at all, rank by the order of the roots.
    pub rank: Vec<SkillScope>,
    /// What skills of one name are sorted by instead, before the first or the last is taken.
    pub order: Vec<OrderKey>,
    /// Whether a skill of an untrusted folder loses every clash.
    pub untrusted_loses: bool,
    /// Whether a file found twice is listed once.
    pub same_file: SameFile,
}

impl Default for CollideRules {
    fn default() -> Self {
        CollideRules {
            names: OnClash::First,
            rank: Vec::new(),
            order: Vec::new(),
            untrusted_loses: false,
            same_file: SameFile::First,
        }
    }
}

/// Which of several skills with one name count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnClash {
    /// The first, by scope rank if there is one, then by the order of the roots.
    #[default]
    First,
    /// For the model and for the user, the first in that order that each may call.
    FirstPerCaller,
    /// The last in that order.
    Last,
    /// All of them.
    All,
}

/// What happens to a file that two roots lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SameFile {
    /// The first root's entry counts.
    #[default]
    First,
    /// Each entry counts.
    All,
    /// Names are settled first, root by root; then the first entry that still counts does.
    AfterNames,
}
