//! What a use case reports on its way to the answer.

use openoxide_skills::diagnostic::Code;

use crate::error::Error;

/// What happens on the way, reported at once: an error later does not undo it. Sentences are safe to print.
#[derive(Debug)]
pub enum Progress {
    /// Something is done.
    Done(String),
    /// Something is not done, or not as people may expect.
    Warning(String),
    /// One part failed; the others go on.
    Failed(Error),
    /// A part of a file was replaced to fix it.
    Replaced {
        /// The file.
        path: String,
        /// What stood there.
        old: String,
        /// What stands there now.
        new: String,
        /// The code of the finding.
        code: Code,
    },
}

/// Takes what is reported.
pub type Report<'r> = &'r mut dyn FnMut(Progress);
