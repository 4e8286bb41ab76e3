//! What is new in a state, seen from the one before.

use std::path::PathBuf;
use std::sync::Arc;

use crate::state::State;

/// What changed at a place.
#[derive(Clone)]
pub struct Change {
    /// What the place is like now.
    pub state: Arc<State>,
    /// Skills that count now and did not before.
    pub added: Vec<SkillChange>,
    /// Skills that counted before and do not now.
    pub removed: Vec<SkillChange>,
    /// Skills that count as before, and are not the same any more.
    pub changed: Vec<SkillChange>,
}

/// A skill that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillChange {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

impl Change {
    /// Tells whether the skills that count are the same as before; findings may differ.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}
