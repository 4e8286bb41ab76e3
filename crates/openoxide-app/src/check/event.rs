//! What a fix did, or did not do.

use std::path::PathBuf;

use openoxide_skills::diagnostic::Code;

/// Something that a fix did, or did not do.
#[derive(Debug)]
pub enum FixEvent {
    /// A part of a file was replaced.
    Replaced {
        /// The file.
        path: PathBuf,
        /// What stood there.
        old: String,
        /// What stands there now.
        new: String,
        /// The code of the finding.
        code: Code,
    },
    /// A file is a link, and nothing is written through links.
    IsLink {
        /// The file.
        path: PathBuf,
    },
    /// A file or folder was renamed.
    Renamed {
        /// Its old path.
        from: PathBuf,
        /// Its new name.
        to: String,
    },
    /// A folder was not renamed, because there is something of that name.
    NameTaken {
        /// Its path.
        path: PathBuf,
        /// The name.
        to: String,
    },
    /// A link to what was renamed leads to it again.
    Relinked {
        /// The link.
        link: PathBuf,
        /// What it leads to now.
        target: PathBuf,
    },
    /// A link to what was renamed leads nowhere now.
    NotRelinked {
        /// The link.
        link: PathBuf,
        /// Why it was not replaced.
        error: std::io::Error,
    },
}
