//! Resolves paths before they become part of a sandbox policy.

use std::path::{Path, PathBuf};

/// Returns a path without links.
pub(crate) fn real(path: &Path) -> Result<PathBuf, String> {
    std::fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))
}
