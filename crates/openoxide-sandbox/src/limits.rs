//! Limits on what a command may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits on what a command may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How long it may run, at most a day.
    pub time: Duration,
    /// How many bytes it may write to standard output and standard error together.
    pub output: usize,
    /// How many processes there may be at once.
    pub processes: u32,
    /// How many bytes of memory all its processes may use together.
    pub memory: u64,
    /// How many bytes one file may have. The private `/tmp` as a whole has this size too.
    pub file_size: u64,
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

impl Limits {
    /// For a command embedded in the text of a skill: ten seconds, 64 KiB of output.
    pub const EMBEDDED: Self = Self { time: Duration::from_secs(10), output: 64 * 1024, ..Self::SCRIPT };

    /// For a script that comes with a skill: two minutes, 1 MiB of output, 64 processes, 1 GiB of memory, files of 256 MiB.
    pub const SCRIPT: Self = Self {
        time: Duration::from_mins(2),
        output: 1024 * 1024,
        processes: 64,
        memory: 1024 * MIB,
        file_size: 256 * MIB,
    };
}
