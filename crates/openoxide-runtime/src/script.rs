//! Running a script of a skill.

mod interpreter;
mod operation;

pub use operation::{Ran, ScriptCall, ScriptOutcome, ScriptRun};
