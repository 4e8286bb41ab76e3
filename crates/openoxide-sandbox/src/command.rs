//! What is to be run, and under which rules.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Environment, Limits, Policy};

/// What is to be run, and under which rules.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program: a path, or a name that is looked up in the fixed [`PATH`](crate::PATH) of the sandbox.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What it reads from standard input.
    pub stdin: Vec<u8>,
    /// The folder it starts in, which must be readable or writable; the private home without one.
    pub cwd: Option<PathBuf>,
    /// Its variables.
    pub env: Environment,
    /// What it may touch.
    pub policy: Policy,
    /// How much it may use.
    pub limits: Limits,
    /// Whether standard error goes where standard output goes, in the order of writing.
    pub merge: bool,
}

impl Command {
    /// A command that may read the system's programs, and nothing else.
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

    /// A line for the shell, as `sh -c LINE`.
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
