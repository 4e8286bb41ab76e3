//! The outcome of a command: how it ended, and what it wrote.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::Change;

/// The outcome of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// Its standard output; with `merge`, its standard error too.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// Whether it wrote more than this.
    pub truncated: bool,
    /// How long it took, including building the sandbox.
    pub took: Duration,
    /// What it changed in folders that it may write, by path; nothing if it was stopped, because then nothing is kept.
    pub changes: Vec<Change>,
}

impl Outcome {
    /// Returns whether it exited with status 0.
    pub fn succeeded(&self) -> bool {
        self.ended == Ended::Exit(0)
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// It exited with this status.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It took too long.
    TimedOut,
    /// It wrote too much.
    OutputLimit,
    /// It had too many processes.
    ProcessLimit,
    /// It used too much memory.
    MemoryLimit,
    /// It wrote a file that is too large.
    FileSizeLimit,
    /// The caller stopped it.
    Stopped,
}

impl Ended {
    /// Returns whether the command came to its end by itself, well or badly, and was not stopped from outside.
    pub fn is_by_itself(self) -> bool {
        matches!(self, Self::Exit(_) | Self::Signal(_))
    }

    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exit(_) => "exit",
            Self::Signal(_) => "signal",
            Self::TimedOut => "timed-out",
            Self::OutputLimit => "output-limit",
            Self::ProcessLimit => "process-limit",
            Self::MemoryLimit => "memory-limit",
            Self::FileSizeLimit => "file-size-limit",
            Self::Stopped => "stopped",
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exited with status {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
            Self::TimedOut => f.write_str("took too long and was stopped"),
            Self::OutputLimit => f.write_str("wrote too much and was stopped"),
            Self::ProcessLimit => f.write_str("had too many processes and was stopped"),
            Self::MemoryLimit => f.write_str("used too much memory and was stopped"),
            Self::FileSizeLimit => f.write_str("wrote too large a file and was stopped"),
            Self::Stopped => f.write_str("was stopped"),
        }
    }
}
