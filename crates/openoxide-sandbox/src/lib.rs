#![doc = include_str!("../README.md")]

mod command;
// On Linux for its tests alone, because that is where the tests run.
#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(target_os = "linux", expect(unreachable_pub, reason = "it is public elsewhere"))]
mod elsewhere;
mod environment;
mod error;
mod isolation;
mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod outcome;
mod policy;
mod probe;
mod stop;
mod system;

pub use crate::command::Command;
pub use crate::environment::{EnvError, Environment};
pub use crate::error::SandboxError;
pub use crate::isolation::{Isolation, Mechanism, Missing};
pub use crate::limits::Limits;
pub use crate::outcome::{Ended, Outcome};
pub use crate::policy::{Policy, PolicyError, SEALED_AT_HOME, SEALED_NAMES};
pub use crate::probe::Probe;
pub use crate::stop::Stop;
pub use crate::system::PATH;

#[cfg(not(target_os = "linux"))]
use crate::elsewhere as here;
#[cfg(target_os = "linux")]
use crate::linux as here;

pub use crate::here::helper;

/// Runs a command, and returns when it has ended and nothing of it is left.
///
/// The calling thread waits. If this process dies, so does the command.
pub fn run(isolation: &Isolation, command: &Command) -> Result<Outcome, SandboxError> {
    here::run(isolation, command, None)
}

/// Runs a command as [`run`] does, unless and until it is stopped.
pub fn run_until(isolation: &Isolation, command: &Command, stop: &Stop) -> Result<Outcome, SandboxError> {
    here::run(isolation, command, Some(stop))
}
