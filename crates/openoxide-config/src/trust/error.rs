//! The error of changes to the trust file.

use std::path::PathBuf;

use openoxide_skills::diagnostic::Diagnostic;

use crate::environment::{NO_HOME_HINT, NO_HOME_WORD};

/// Why the trust file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The user has no home folder.
    #[error("there is no home folder")]
    NoHome,
    /// A path cannot be written as text.
    #[error("`{}` cannot be written down, because it is not UTF-8", openoxide_skills::text::path_text(.0))]
    NotText(PathBuf),
    /// The file is damaged, so a change could lose something.
    #[error("`{}` is damaged, so it is left as it is{}", path.display(), place(problem))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: Box<Diagnostic>,
    },
    /// Another process keeps the file locked.
    #[error("another process is changing `{}`", .0.display())]
    Busy(PathBuf),
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

fn place(problem: &Diagnostic) -> String {
    let line = problem.place.as_ref().map_or_else(String::new, |place| format!("line {}: ", place.line));
    format!(": {line}{}", problem.message)
}

impl TrustError {
    /// Returns the stable word for the error: every face shows the same one.
    pub fn word(&self) -> &'static str {
        match self {
            TrustError::NoHome => NO_HOME_WORD,
            _ => "not-kept",
        }
    }

    /// Returns the next step, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            TrustError::NoHome => Some(NO_HOME_HINT.to_owned()),
            TrustError::NotText(_) => Some("rename the folder".to_owned()),
            TrustError::Damaged { problem, .. } => problem.help.clone(),
            TrustError::Busy(_) => Some("wait for the other process, or end it".to_owned()),
            TrustError::Io(_) => None,
        }
    }
}
