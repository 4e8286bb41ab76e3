//! The answer of `search`.

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
