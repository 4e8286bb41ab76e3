//! The reasons why a command did not run.

use std::io;

use crate::{Missing, PolicyError, system_paths};

/// The reason why a command did not run. None of these leads to running it with more permissions.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// This machine has no way to isolate a command.
    #[error("this machine cannot isolate a command: {}", list(.0))]
    NoIsolation(Vec<Missing>),
    /// The policy contradicts itself, or names a path that does not exist.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A layer could not be built.
    #[error("the sandbox could not be built: {layer}: {why}; {remedy}")]
    Layer {
        /// The layer.
        layer: String,
        /// What happened.
        why: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The program does not exist inside the sandbox.
    #[error(
        "`{program}` cannot be run: {why}; only programs in {} and in the folders that the command may read are there",
        system_paths::PATH
    )]
    Program {
        /// The program.
        program: String,
        /// Why not.
        why: String,
    },
    /// Preparing the sandbox failed.
    #[error("the sandbox could not be prepared: {0}")]
    Io(#[from] io::Error),
}

fn list(missing: &[Missing]) -> String {
    missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
