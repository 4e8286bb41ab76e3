//! Tells whose turn it is on a connection, the server's or the client's, and since when.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const NEW: u64 = 0;
const OURS: u64 = 1;

/// Whose turn it is. Every read and write touches it, so it needs no lock.
pub(super) struct Turn {
    began: Instant,
    /// [`NEW`], [`OURS`], or the microseconds from the beginning to where the client's turn began, and two.
    state: AtomicU64,
    /// Whether the client listens to events, and so has nothing to do but to read them.
    listens: AtomicBool,
}

impl Default for Turn {
    fn default() -> Turn {
        Turn { began: Instant::now(), state: AtomicU64::new(NEW), listens: AtomicBool::new(false) }
    }
}

impl Turn {
    /// The client has sent a request: it waits for the server now.
    pub(super) fn ours(&self) {
        self.listens.store(false, Ordering::Relaxed);
        self.state.store(OURS, Ordering::Relaxed);
    }

    /// The server waits for the client to send or to read something; since when, if it was so before, stays.
    pub(super) fn theirs(&self) {
        if self.state.load(Ordering::Relaxed) <= OURS {
            self.theirs_since(Instant::now());
        }
    }

    fn theirs_since(&self, since: Instant) {
        let micros = u64::try_from(since.saturating_duration_since(self.began).as_micros()).unwrap_or(u64::MAX - 2);
        self.state.store(micros + 2, Ordering::Relaxed);
    }

    /// Nothing has been read yet, and there is nothing to read.
    pub(super) fn is_silent(&self) {
        if self.is_new() {
            self.theirs();
        }
    }

    /// The client listens from now on: as long as it reads, the turn is the server's.
    pub(super) fn listens(&self) {
        self.listens.store(true, Ordering::Relaxed);
    }

    /// The client has read what there was, or much of it.
    pub(super) fn moved(&self) {
        if self.listens.load(Ordering::Relaxed) {
            self.state.store(OURS, Ordering::Relaxed);
        } else if self.state.load(Ordering::Relaxed) > OURS {
            self.theirs_since(Instant::now());
        }
    }

    /// Returns how long ago the connection began.
    pub(super) fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began)
    }

    pub(super) fn is_new(&self) -> bool {
        self.state.load(Ordering::Relaxed) == NEW
    }

    /// Returns for how long the server has waited for the client; nothing if it does not.
    pub(super) fn waits_for_client(&self, now: Instant) -> Option<Duration> {
        let since = self.state.load(Ordering::Relaxed).checked_sub(2)?;
        let since = self.began.checked_add(Duration::from_micros(since))?;
        Some(now.saturating_duration_since(since))
    }
}
