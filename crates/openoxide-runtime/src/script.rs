//! Running a script of a skill.

mod interpreter;
mod operation;

pub use operation::{FinishedScript, ScriptCall, ScriptOutcome, ScriptRun};
