//! Who calls a skill, as requests say it.

use openoxide_skills::Caller;
use schemars::JsonSchema;
use serde::Deserialize;

/// Who calls a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    /// A person.
    #[default]
    User,
    /// The model, by a tool.
    Model,
}

impl From<Who> for Caller {
    fn from(who: Who) -> Caller {
        match who {
            Who::User => Caller::User,
            Who::Model => Caller::Model,
        }
    }
}
