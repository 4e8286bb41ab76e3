//! A generated file: its path and its text.

use std::path::PathBuf;

use anyhow::Result;

use crate::shell::repository;

/// The first line of every generated page.
pub(super) const NOTICE: &str = "<!-- Written by `cargo xtask generate`; changes made here are lost. -->\n";

/// A file that follows from the code.
pub(super) struct Page {
    /// Its path in the repository.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Page {
    pub(super) fn new(path: impl Into<PathBuf>, text: String) -> Page {
        Page { path: path.into(), text }
    }

    /// Returns what the file holds now; nothing if it is missing.
    pub(super) fn current(&self) -> Result<String> {
        let path = repository().join(&self.path);
        if path.exists() { Ok(fs_err::read_to_string(path)?) } else { Ok(String::new()) }
    }
}
