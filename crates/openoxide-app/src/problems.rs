//! Use case: lists what is wrong at a place, and the limits that were reached.

use openoxide_live::Snapshot;
use openoxide_wire::{LimitLine, ProblemLine};

/// Lists the findings of a catalog, by path, and the limits that were reached.
pub fn problems(snapshot: &Snapshot) -> (Vec<ProblemLine>, Vec<LimitLine>) {
    let catalog = &snapshot.catalog;
    (catalog.problems.iter().map(Into::into).collect(), catalog.limits.iter().map(Into::into).collect())
}
