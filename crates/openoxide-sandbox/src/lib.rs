#![doc = include_str!("../README.md")]

mod bubblewrap;
mod cgroup;
mod command;
mod environment;
mod error;
mod frame;
pub mod helper;
mod isolation;
mod limits;
mod outcome;
mod output;
mod placeholder;
mod policy;
mod probe;
mod run;
mod spec;
mod system;

pub use crate::command::Command;
pub use crate::environment::{EnvError, Environment};
pub use crate::error::SandboxError;
pub use crate::isolation::{Isolation, Mechanism, Missing};
pub use crate::limits::Limits;
pub use crate::outcome::{Ended, Outcome};
pub use crate::policy::{Policy, PolicyError, SEALED_AT_HOME, SEALED_NAMES};
pub use crate::probe::Probe;
pub use crate::run::run;
pub use crate::system::PATH;
