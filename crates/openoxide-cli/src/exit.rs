//! How a run ends.

/// How a run ended. Any other failure has the exit status 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Done.
    Done,
    /// The answer is no: findings, an unknown skill.
    No,
}
