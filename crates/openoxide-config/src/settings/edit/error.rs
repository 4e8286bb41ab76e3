//! The error of edits to settings files.

use std::path::PathBuf;

/// Why a settings file was not edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file is not TOML, so an edit could lose something.
    #[error("`{}` is not valid TOML, so it is left as it is", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        #[source]
        source: Box<toml_edit::TomlError>,
    },
    /// The file is a link, not a regular file, or too large. A project could point it anywhere.
    #[error("`{}` is left as it is: {why}", path.display())]
    Odd {
        /// The file.
        path: PathBuf,
        /// What is odd about it, and the next step.
        why: &'static str,
    },
    /// The text of the file is such that a change could lose something.
    #[error("`{}` is left as it is: {why}", path.display())]
    NotChanged {
        /// The file.
        path: PathBuf,
        /// Why, and the next step.
        why: String,
    },
    /// A part of the key is not a table.
    #[error("`{key}` cannot be set, because `{part}` is not a table in `{}`", path.display())]
    NotTable {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The part that is something else.
        part: String,
    },
    /// Another process is changing the file.
    #[error("`{}` is being changed by another process", .0.display())]
    Busy(PathBuf),
    /// The server would be ignored when the file is read.
    #[error("the server `{name}` cannot be added: {message}")]
    BadServer {
        /// Its name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// The key holds something else than a list.
    #[error("`{key}` is not a list in `{}`", path.display())]
    NotList {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
}

impl EditError {
    /// Returns the stable word for the error: every face shows the same one. The message has the next step.
    pub fn word(&self) -> &'static str {
        "not-written"
    }
}
