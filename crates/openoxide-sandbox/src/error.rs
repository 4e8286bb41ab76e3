//! Why a command did not run.

use std::io;

use crate::{Missing, PolicyError};

/// Why a command did not run. None of these ever leads to running it with more power.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// This machine has no way to isolate a command.
    #[error("this machine cannot isolate a command: {}", list(.0))]
    NoIsolation(Vec<Missing>),
    /// The rules contradict each other, or name what is not there.
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
    /// The program is not there, in the eyes of the sandbox.
    #[error(
        "`{program}` cannot be run: {why}; only programs in {} and in the folders that the command may read are there",
        crate::PATH
    )]
    Program {
        /// What was to be run.
        program: String,
        /// Why not.
        why: String,
    },
    /// Something else went wrong on our side.
    #[error("the sandbox could not be prepared: {0}")]
    Io(#[from] io::Error),
}

fn list(missing: &[Missing]) -> String {
    missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
