//! The caller of a skill, as requests name it.

use openoxide_skills::host::Caller;
use schemars::JsonSchema;
use serde::Deserialize;

/// Who calls a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Who")]
pub enum CallerInput {
    /// A person.
    #[default]
    User,
    /// The model, by a tool.
    Model,
}

impl From<CallerInput> for Caller {
    fn from(caller: CallerInput) -> Caller {
        match caller {
            CallerInput::User => Caller::User,
            CallerInput::Model => Caller::Model,
        }
    }
}
