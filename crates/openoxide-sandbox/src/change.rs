//! What a command changed in a folder that it may write, and what of that was kept.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a command did to one path in a folder that it may write.
///
/// A command works on a copy of the folder. When it has ended, each change is made in the folder itself, or refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path, in the real folder. Of a folder that is new or gone as a whole, it is the folder's.
    pub path: PathBuf,
    /// What the command did.
    pub kind: ChangeKind,
    /// Why the change was not made in the folder; absent if it was.
    pub refused: Option<String>,
}

/// What a command did to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeKind {
    /// It made it.
    Created,
    /// It changed what was there.
    Changed,
    /// It removed it.
    Removed,
}

impl ChangeKind {
    /// Returns the word used in JSON and for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}
