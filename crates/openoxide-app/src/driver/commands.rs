//! Runs commands of skills in the sandbox.

use std::sync::OnceLock;

use openoxide_runtime::Run;
use openoxide_sandbox::{Isolation, Outcome, Probe, SandboxError, Stop};

/// The sandbox. It looks at what the machine has once, when the first command is to be run.
#[derive(Default)]
pub struct CommandRunner {
    isolation: OnceLock<Result<Isolation, String>>,
}

impl CommandRunner {
    /// Returns what commands are isolated with. The first call blocks.
    pub fn isolation(&self) -> Result<&Isolation, &str> {
        let probe = || Probe::new().map(|probe| Isolation::probe(&probe)).map_err(|error| error.to_string());
        self.isolation.get_or_init(probe).as_ref().map_err(String::as_str)
    }

    /// Runs a command to its end.
    pub fn run(&self, run: &Run) -> Result<Outcome, SandboxError> {
        openoxide_sandbox::run(self.ready()?, &run.command)
    }

    /// Runs a command to its end, or until it is stopped from another thread.
    pub fn run_until(&self, run: &Run, stop: &Stop) -> Result<Outcome, SandboxError> {
        openoxide_sandbox::run_until(self.ready()?, &run.command, stop)
    }

    /// Returns what commands were isolated with; nothing if none was run.
    pub fn mechanism(&self) -> Option<&'static str> {
        let isolation = self.isolation.get()?.as_ref().ok()?;
        Some(isolation.mechanism.as_str())
    }

    fn ready(&self) -> Result<&Isolation, SandboxError> {
        self.isolation().map_err(|error| std::io::Error::other(error.to_owned()).into())
    }
}
