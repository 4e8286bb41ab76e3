//! The reasons why a skill's folder cannot be read or copied as a whole.

/// Why there is no snapshot, or no copy of it. Paths are relative to the skill's folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The folder cannot be opened.
    #[error("the skill's folder cannot be opened: {reason}")]
    Folder {
        /// Why.
        reason: String,
    },
    /// The skill's own file is gone.
    #[error("the skill's file `{path}` is not there any more")]
    NoManifest {
        /// The file.
        path: String,
    },
    /// There are too many entries.
    #[error("the skill's folder has more than {limit} entries")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// The files are too large.
    #[error("the skill's files are larger than {limit} bytes together, at `{path}`")]
    TooLarge {
        /// The file that was one too many.
        path: String,
        /// The limit.
        limit: u64,
    },
    /// Folders are too deep.
    #[error("the skill's folders are more than {limit} deep, at `{path}`")]
    TooDeep {
        /// The folder.
        path: String,
        /// The limit.
        limit: usize,
    },
    /// There is a pipe, a socket or a device.
    #[error("`{path}` is not a regular file")]
    Special {
        /// The file.
        path: String,
    },
    /// Something is not what it was a moment ago.
    #[error("`{path}` changed while it was read")]
    Changed {
        /// The file.
        path: String,
    },
    /// Something cannot be read.
    #[error("`{path}` cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A link leads out of the skill's folder.
    #[error("the link `{path}` leads out of the skill's folder")]
    Escapes {
        /// The link.
        path: String,
    },
    /// The copy cannot be written.
    #[error("the copy of `{path}` cannot be written: {reason}")]
    NotWritten {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
}
