//! Use case: look at a project again now, whatever the file system reported.

use std::sync::Arc;

use openoxide_live::{Live, Place, Snapshot};
use openoxide_wire::{ReloadAnswer, SchemaVersion};

use crate::error::Error;

/// Looks again, and returns what is there now.
pub fn reload(live: &Live, place: &Place) -> Result<Arc<Snapshot>, Error> {
    Ok(live.reload(place)?)
}

/// Makes the answer of what was seen.
pub fn answer(snapshot: &Snapshot) -> ReloadAnswer {
    ReloadAnswer {
        schema: SchemaVersion::default(),
        host: snapshot.catalog.host.clone(),
        version: snapshot.version,
        skills: snapshot.catalog.skills.len(),
        others: snapshot.catalog.others.len(),
    }
}
