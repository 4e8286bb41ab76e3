#![doc = include_str!("../README.md")]

// Values: what is decided on, what may be said about it, and the rules that say it.
mod permission;
mod rule;

// Matching: patterns, shell texts, commands.
mod command;
mod examples;
mod shell;
mod wildcard;

// Results: a decision on one subject, and what a skill's profile would add.
mod decide;
mod names;
mod profile;

pub use decide::{Approvals, Decision, decide};
pub use names::Names;
pub use permission::{Action, Permission};
pub use profile::{
    Addition, GrantDelta, Grants, IgnoredRequest, PermissionsProfile, ProfileBase, ProfileMode, ProfileSource,
};
pub use rule::{Examples, Rule, RuleError, Rules, folded};
pub use shell::{Frame, Leading, Lexer, ShellToken, leading};
pub use wildcard::{expand_home, wildcard};
