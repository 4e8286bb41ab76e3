//! Why a skill cannot be linked.

use crate::error::{Error, ErrorKind};

/// Why a skill cannot be linked, and the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkProblem {
    /// What is so.
    pub message: String,
    /// The next step.
    pub help: Option<String>,
}

impl LinkProblem {
    pub(super) fn new(message: impl Into<String>) -> LinkProblem {
        LinkProblem { message: message.into(), help: None }
    }

    pub(super) fn help(self, help: impl Into<String>) -> LinkProblem {
        LinkProblem { help: Some(help.into()), ..self }
    }
}

impl From<LinkProblem> for Error {
    fn from(problem: LinkProblem) -> Error {
        let error = Error::other(ErrorKind::Conflict, "not-linked", problem.message);
        match problem.help {
            Some(help) => error.with_help(help),
            None => error,
        }
    }
}
