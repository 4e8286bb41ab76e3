//! The reasons why a skill's folder cannot be read or copied as a whole.

pub(super) type Result<T> = std::result::Result<T, SnapshotError>;

/// Why there is no snapshot, or no copy of it. Paths are relative to the skill's folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The folder cannot be opened, and why.
    #[error("the skill's folder cannot be opened: {0}")]
    Folder(String),
    /// The folder is not the one that was found: it was exchanged for a link, or something was mounted there.
    #[error("the skill's folder is not the one that was found any more; look for skills again")]
    Moved,
    /// The skill comes inside the program, and its files are not written, or not safe from other users.
    #[error("the skill comes inside the program, and its files are not written")]
    Unwritten,
    /// Something else is mounted in the folder.
    #[error("`{0}` is mounted from elsewhere, and is not part of the skill")]
    Mounted(String),
    /// The skill's own file is gone.
    #[error("the skill's file `{0}` is not there any more")]
    NoManifest(String),
    /// There are more entries than this.
    #[error("the skill's folder has more than {0} entries")]
    TooMany(usize),
    /// The files are larger than this, at the file that was one too many.
    #[error("the skill's files are larger than {0} bytes together, at `{1}`")]
    TooLarge(u64, String),
    /// Folders are deeper than this, at one of them.
    #[error("the skill's folders are more than {0} deep, at `{1}`")]
    TooDeep(usize, String),
    /// There is a pipe, a socket or a device.
    #[error("`{0}` is not a regular file")]
    Special(String),
    /// Something is not what it was a moment ago.
    #[error("`{0}` changed while it was read")]
    Changed(String),
    /// Something cannot be read.
    #[error("`{path}` cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A link leads out of the skill's folder.
    #[error("the link `{0}` leads out of the skill's folder")]
    Escapes(String),
    /// The copy cannot be written.
    #[error("the copy of `{path}` cannot be written: {reason}")]
    NotWritten {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
}
