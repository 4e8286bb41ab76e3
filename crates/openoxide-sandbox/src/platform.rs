//! The entry points of the crate, on the platform that it is built for.

use std::sync::OnceLock;

#[cfg(target_os = "linux")]
use crate::linux as platform;
#[cfg(not(target_os = "linux"))]
use crate::unsupported as platform;
use crate::{Command, Isolation, Outcome, Probe, SandboxError, Stop};

pub use platform::helper;

impl Isolation {
    /// Finds out how this machine can isolate a command. On Linux it starts a few short processes, the last of them in a
    /// sandbox. On other systems it starts none, because there is nothing to find.
    pub fn probe(probe: &Probe) -> Self {
        platform::probe(probe)
    }

    /// Returns what [`Isolation::probe`] finds with this program as the helper; it looks once. Nothing is found in a program
    /// that has not called [`helper::main_if_asked`]: it cannot be started again to try.
    pub fn here() -> Option<&'static Self> {
        static HERE: OnceLock<Option<Isolation>> = OnceLock::new();
        let probe = || Probe::new().ok().filter(|_| helper::is_ready()).map(|probe| Self::probe(&probe));
        HERE.get_or_init(probe).as_ref()
    }
}

/// Runs a command, and returns when it has ended and none of its processes is left.
///
/// The calling thread waits. If this process dies, so does the command.
pub fn run(isolation: &Isolation, command: &Command) -> Result<Outcome, SandboxError> {
    platform::run(isolation, command, None)
}

/// Runs a command as [`run`] does, until it ends or is stopped.
pub fn run_until(isolation: &Isolation, command: &Command, stop: &Stop) -> Result<Outcome, SandboxError> {
    platform::run(isolation, command, Some(stop))
}
