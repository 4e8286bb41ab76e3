//! A command, with the policy and the limits that it runs under.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{Environment, Policy};

/// A command, with the policy and the limits that it runs under.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program: a path, or a name that is looked up in the fixed [`PATH`](crate::PATH) of the sandbox.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The content of standard input.
    pub stdin: Vec<u8>,
    /// The folder it starts in, which must be readable or writable. If absent, it is the private home.
    pub cwd: Option<PathBuf>,
    /// The environment variables.
    pub env: Environment,
    /// Which files it may use, and whether the network.
    pub policy: Policy,
    /// How much time, output, memory and so on it may use.
    pub limits: Limits,
    /// Whether standard error is merged into standard output, in the order of writing.
    pub merge: bool,
}

impl Command {
    /// Makes a command that may read the system's programs, and nothing else.
    pub fn new(program: impl Into<OsString>, limits: Limits) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            stdin: Vec::new(),
            cwd: None,
            env: Environment::default(),
            policy: Policy::default(),
            limits,
            merge: false,
        }
    }

    /// Makes a command from a line for the shell, as `sh -c LINE`.
    pub fn shell(line: impl Into<OsString>, limits: Limits) -> Self {
        Self::new("/bin/sh", limits).arg("-c").arg(line)
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }
}

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
    /// How many bytes one file may have. The private `/tmp` as a whole has this size too, or half of the memory if that
    /// is less, because it is in memory.
    pub file_size: u64,
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

impl Limits {
    /// Returns how many bytes the private `/tmp` may hold.
    #[cfg(target_os = "linux")]
    pub(crate) fn temporary(&self) -> u64 {
        self.file_size.min(self.memory / 2)
    }

    /// Returns how many bytes the private `/dev/shm` may hold.
    #[cfg(target_os = "linux")]
    pub(crate) fn shared_memory(&self) -> u64 {
        self.file_size.min(self.memory / 4)
    }

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
