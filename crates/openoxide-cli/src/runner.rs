//! Runs commands of skills in the sandbox.

use std::cell::OnceCell;

use openoxide_runtime::Run;
use openoxide_sandbox::{Isolation, Outcome, Probe, SandboxError};

/// The sandbox. What the machine has is looked at once, when something is to be run.
#[derive(Default)]
pub(crate) struct Runner {
    isolation: OnceCell<Result<Isolation, String>>,
}

impl Runner {
    /// Runs a command.
    pub(crate) fn run(&self, run: &Run) -> Result<Outcome, SandboxError> {
        let probe = || Probe::new().map(|probe| Isolation::probe(&probe)).map_err(|error| error.to_string());
        match self.isolation.get_or_init(probe) {
            Ok(isolation) => openoxide_sandbox::run(isolation, &run.command),
            Err(error) => Err(std::io::Error::other(error.as_str()).into()),
        }
    }

    /// Returns what commands were isolated with; nothing if none was run.
    pub(crate) fn mechanism(&self) -> Option<&'static str> {
        let isolation = self.isolation.get()?.as_ref().ok()?;
        Some(isolation.mechanism.as_str())
    }
}
