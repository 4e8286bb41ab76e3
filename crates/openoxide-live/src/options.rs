//! Says how closely a program watches its places, and how it notices changes.

use std::time::Duration;

/// How closely to watch, and how much to keep.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// How long a place must be quiet before it is refreshed.
    pub debounce: Duration,
    /// The least time between two refreshes of a place. In a storm of events it is also the longest time until the first.
    pub min_interval: Duration,
    /// How often a place is refreshed that cannot be watched.
    pub poll_interval: Duration,
    /// How many places are kept. The least recently used one goes first; a pinned one stays.
    pub max_places: usize,
    /// How many bytes of frontmatters all places keep together. The least recently used place goes first; a pinned one stays.
    pub max_text: usize,
    /// How many folders are watched. A place that would need more is polled instead.
    pub max_watches: usize,
}

impl Default for LiveOptions {
    fn default() -> LiveOptions {
        LiveOptions {
            debounce: Duration::from_millis(200),
            min_interval: Duration::from_secs(1),
            poll_interval: Duration::from_secs(2),
            // A client may list 256 folders at once and subscribe to changes in all of them.
            max_places: 320,
            max_text: 64 * 1024 * 1024,
            max_watches: 500_000,
        }
    }
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchMode {
    /// The system reports every change.
    Events,
    /// At least one place is refreshed at intervals.
    Polling {
        /// Why the system cannot report changes.
        reason: String,
    },
}
