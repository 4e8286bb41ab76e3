#![doc = include_str!("../README.md")]

// Values: what to run, what it may touch and use, how it ended, and what it changed.
mod change;
mod command;
mod environment;
mod error;
mod outcome;
mod policy;
mod system_paths;

// The mechanism: what this machine has, where copies lie, and how a command is stopped.
mod isolation;
mod private_folder;
mod stop;

// The work, by platform.
#[cfg(target_os = "linux")]
mod linux;
mod platform;
// On Linux for its tests alone, because that is where the tests run.
#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(target_os = "linux", expect(unreachable_pub, reason = "it is public on other systems"))]
mod unsupported;

pub use crate::change::{Change, ChangeKind};
pub use crate::command::{Command, Limits};
pub use crate::environment::{EnvError, Environment};
pub use crate::error::SandboxError;
pub use crate::isolation::{Isolation, Mechanism, Missing, Probe};
pub use crate::outcome::{Ended, Outcome};
pub use crate::platform::{helper, run, run_until};
pub use crate::policy::{Policy, PolicyError, SEALED_NAMES};
pub use crate::private_folder::PrivateFolder;
pub use crate::stop::Stop;
pub use crate::system_paths::{PATH, PROGRAMS};
