//! Hooks: commands that a skill wants run on events, for as long as it is active.
//!
//! ```text
//! activation ─▶ register ─▶ event ─▶ Firing ─▶ commands ─▶ verdict
//! ```
//!
//! A skill's hooks are registered at the end of its activation, if the user agreed to exactly these commands; what runs
//! is a private copy of the folder that the agreement is bound to. They go when the skill is deactivated.

mod event;
mod firing;
mod input;
mod matcher;
mod output;
mod register;
mod registry;
mod verdict;

pub use event::{Deactivation, Event};
pub use firing::Firing;
pub(crate) use register::{register, requested_hooks};
pub(crate) use registry::Registry;
pub use verdict::{Decision, Halt, HookMessage, Ruling, Verdict};
