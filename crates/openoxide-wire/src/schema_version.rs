//! The version of the format, which every answer carries.

use crate::{JsonSchema, Serialize};

/// The version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SchemaVersion {
    /// Raised when a field changes its meaning or goes.
    pub version: u32,
}

impl Default for SchemaVersion {
    fn default() -> Self {
        SchemaVersion { version: 1 }
    }
}
