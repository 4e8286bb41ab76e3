//! The answer of `reload`.

use crate::{JsonSchema, SchemaVersion, Serialize};

/// What was seen by looking again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReloadAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// Grows whenever something changes at the place.
    pub version: u64,
    /// How many skills are active.
    pub skills: usize,
    /// How many files do not.
    pub others: usize,
}
