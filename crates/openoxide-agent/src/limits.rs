//! How long a model is waited for, and how much is taken from it.

use std::time::Duration;

/// How long a model is waited for, and how much is taken from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may take until a connection is there.
    pub connect: Duration,
    /// How long nothing may arrive. A model on this machine may read a long prompt for minutes before its first word.
    pub silence: Duration,
    /// How long a reply may take with all its repetitions.
    pub total: Duration,
    /// How often a request is repeated.
    pub retries: u32,
    /// How long the first repetition waits; each later one waits twice as long.
    pub first_wait: Duration,
    /// The longest wait that a server may ask for.
    pub longest_wait: Duration,
    /// Most bytes of one event.
    pub event: usize,
    /// Most bytes of what the model says, and of a body that is no stream.
    pub reply: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(10),
            silence: Duration::from_mins(5),
            total: Duration::from_mins(30),
            retries: 3,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_mins(1),
            event: 1024 * 1024,
            reply: 16 * 1024 * 1024,
        }
    }
}
