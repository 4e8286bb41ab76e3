#![doc = include_str!("../README.md")]

mod command;
mod decide;
mod profile;
mod rule;
mod shell;
mod wildcard;

pub use decide::{Decision, Permission, Remembered, decide};
pub use profile::{Addition, Base, Delta, Ignored, InForce, PermissionsProfile, ProfileMode, ProfileSource, Wanted};
pub use rule::{Action, Examples, Rule, RuleError, Rules};
pub use shell::{Frame, Leading, Lexer, ShellToken, leading};
pub use wildcard::{expand_home, wildcard};
