//! Use case: lists what is wrong at a place, and the limits that were reached.

use openoxide_live::Snapshot;
use openoxide_wire::{LimitLine, ProblemLine};

/// What is wrong at a place.
#[derive(Clone, Debug)]
pub struct Problems {
    /// Findings, by path.
    pub problems: Vec<ProblemLine>,
    /// Limits that were reached.
    pub limits: Vec<LimitLine>,
}

/// Lists the findings of a catalog.
pub fn problems(snapshot: &Snapshot) -> Problems {
    let catalog = &snapshot.catalog;
    Problems {
        problems: catalog.problems.iter().map(ProblemLine::from).collect(),
        limits: catalog.limits.iter().map(LimitLine::from).collect(),
    }
}
