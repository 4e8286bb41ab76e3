//! Limits on sizes, counts and waiting times.
//!
//! The first two are those of the standard: every host accepts that much, and this client accepts no more.

use std::time::Duration;

pub(crate) const MAX_FILES: usize = 512;
/// Most bytes of all files of a skill.
pub(crate) const MAX_SKILL_BYTES: u64 = 16 * 1024 * 1024;

/// How much is taken from a server, and how long it is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may take until a server is ready.
    pub connect: Duration,
    /// How long one request may take.
    pub request: Duration,
    /// How long all pages of a list may take.
    pub listing: Duration,
    /// Most bytes of one message. The largest file, as base 64 or with every second character escaped, fits.
    pub message: usize,
    /// Most pages of a list.
    pub pages: usize,
    /// Most skills of a server.
    pub skills: usize,
    /// Most bytes of everything that a server lists.
    pub listed: usize,
    /// Longest time that a list is cached, whatever the server says.
    pub fresh: Duration,
    /// How long the server is neither asked nor started again after a failure.
    pub failed: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(20),
            request: Duration::from_secs(30),
            listing: Duration::from_mins(1),
            message: 33 * 1024 * 1024,
            pages: 1_000,
            skills: 10_000,
            listed: 64 * 1024 * 1024,
            fresh: Duration::from_hours(1),
            failed: Duration::from_secs(30),
        }
    }
}
