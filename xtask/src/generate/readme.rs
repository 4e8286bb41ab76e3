//! The README: its text is written by hand, the answers in its console blocks by the program.

use std::path::Path;

use anyhow::Result;

use crate::console;
use crate::shell::repository;

/// Returns the README with the program's answers of today.
pub(super) fn page(binary: &Path) -> Result<String> {
    let text = fs_err::read_to_string(repository().join("README.md"))?;
    console::answered(&text, binary)
}
