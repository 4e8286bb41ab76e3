//! A command, with the policy and the limits that it runs under.

use std::{ffi::OsString, path::PathBuf};

use crate::{Environment, Limits, Policy};

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
