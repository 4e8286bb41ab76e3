//! The messages to the event loop.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use crate::dirty::Dirty;

/// A message to the event loop. Places are named by their number.
pub(crate) enum Message {
    /// Something changed at a place.
    Changed(u64, Dirty),
    /// A caller refreshed a place, which now has to be watched.
    Watch(u64, Dirty),
    /// A worker has finished.
    Finished(Outcome),
    /// A place is not kept any more.
    Evicted(u64),
    /// A caller waits until nothing is left to do.
    Idle(SyncSender<()>),
    /// The last handle was dropped.
    Stop,
}

/// What a worker's turn at a place leaves to be done.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) place: u64,
    pub(crate) refreshed: bool,
    pub(crate) duration: Duration,
    /// A file may be half written, so another refresh is due soon.
    pub(crate) in_doubt: bool,
    /// The place cannot be watched.
    pub(crate) polls: bool,
    /// What may have changed before it was watched.
    pub(crate) before_watching: Option<Dirty>,
    /// What the turn was about to refresh when it panicked.
    pub(crate) panicked: Option<Dirty>,
}

impl Outcome {
    /// Runs a worker's turn. A turn that panics leaves its changes for a later one.
    pub(crate) fn of(
        place: u64,
        changed: Option<Dirty>,
        watch: Option<Dirty>,
        turn: impl FnOnce(Option<Dirty>, Option<Dirty>) -> Outcome,
    ) -> Outcome {
        let mut dirty = changed.clone().unwrap_or_default();
        dirty.merge(watch.clone().unwrap_or_default());
        let turn = std::panic::catch_unwind(AssertUnwindSafe(|| turn(changed, watch)));
        turn.unwrap_or_else(|_| Outcome { place, refreshed: true, panicked: Some(dirty), ..Outcome::default() })
    }
}
