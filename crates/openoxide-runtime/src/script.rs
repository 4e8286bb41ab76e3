//! Scripts of skills: choosing the interpreter, asking for permission, and running.

mod interpreter;
mod operation;

pub use operation::{FinishedScript, ScriptCall, ScriptOutcome, ScriptRun};
