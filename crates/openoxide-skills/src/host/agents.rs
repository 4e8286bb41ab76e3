//! The agents of a program: the one that a conversation is with, and what each may do.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::settings::HostSettings;

/// The agents of a program, one of which a conversation is with.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRules {
    /// The agent that is meant where none is named. Keys of settings name the agent as `{agent}`.
    pub first: String,
    /// The setting that lists the names of more agents.
    pub setting: Option<String>,
    /// The program's own agents, each with what it may do: `allow`, `ask` or `deny` for a permission. Settings come after
    /// that.
    #[serde(default)]
    pub built_in: BTreeMap<String, BTreeMap<String, String>>,
}

impl AgentRules {
    /// Returns the names of all agents: the program's own, and those of its settings.
    pub fn names<'n>(&'n self, settings: &'n HostSettings) -> impl Iterator<Item = &'n str> {
        let setting = self.setting.as_ref().and_then(|name| settings.get(name));
        let set = setting.and_then(|setting| setting.value.as_array()).into_iter().flatten();
        self.built_in.keys().map(String::as_str).chain(set.filter_map(toml::Value::as_str))
    }
}
