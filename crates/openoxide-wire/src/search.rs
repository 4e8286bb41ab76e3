//! The answer of `search`.

use std::collections::BTreeMap;

use crate::{JsonSchema, SchemaVersion, Serialize};

/// The skills that fit, best first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// The skills.
    pub hits: Vec<HitLine>,
}

/// A skill that fits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HitLine {
    /// What it is called in an address.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// How well it fits; only the order means something.
    pub score: f64,
}

/// What `search` answers: the skills of one host, or of your agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AnySearchAnswer {
    /// The skills of one host.
    Host(SearchAnswer),
    /// The skills of your agents.
    Agents(AgentsSearchAnswer),
}

/// The skills of your agents that fit, best first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentsSearchAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The hosts of your agents.
    pub hosts: Vec<String>,
    /// The skills.
    pub hits: Vec<AgentsHitLine>,
}

/// A skill that fits, and what your agents make of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentsHitLine {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its file.
    pub path: String,
    /// The status in each agent that found it.
    pub hosts: BTreeMap<String, String>,
    /// How well it fits; only the order means something.
    pub score: f64,
}
