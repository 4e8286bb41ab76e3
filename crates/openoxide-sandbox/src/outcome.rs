//! How a command ended, and what it wrote.

use std::fmt;
use std::time::Duration;

/// How a command ended, and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// What it wrote to standard output; with `merge`, to standard error too.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// Whether it wrote more than is here.
    pub truncated: bool,
    /// How long it took, the making of the sandbox included.
    pub took: Duration,
}

impl Outcome {
    /// Whether it ended by itself with status 0.
    pub fn succeeded(&self) -> bool {
        self.ended == Ended::Exit(0)
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this status.
    Exit(i32),
    /// By a signal.
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
    /// Somebody stopped it.
    Stopped,
}

impl Ended {
    /// The word for it in JSON.
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
