//! Holds one place: its current snapshot, and the loader that makes the next.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use crate::loader::Loader;
use crate::place::Place;
use crate::snapshot::Snapshot;

/// One place.
pub(crate) struct Slot {
    pub(crate) id: u64,
    pub(crate) place: Place,
    snapshot: RwLock<Option<Arc<Snapshot>>>,
    /// The thread that holds the lock refreshes; the others wait for its result.
    pub(crate) loader: Mutex<Loader>,
    last_used: AtomicU64,
}

impl Slot {
    pub(crate) fn new(id: u64, place: Place, patience: Duration) -> Slot {
        let loader = Mutex::new(Loader::new(patience));
        Slot { id, place, snapshot: RwLock::new(None), loader, last_used: AtomicU64::new(0) }
    }

    /// Returns the current snapshot, if there is one.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, snapshot: Option<Arc<Snapshot>>) {
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }

    pub(crate) fn use_at(&self, tick: u64) {
        self.last_used.store(tick, Ordering::Relaxed);
    }

    pub(crate) fn last_used(&self) -> u64 {
        self.last_used.load(Ordering::Relaxed)
    }
}
