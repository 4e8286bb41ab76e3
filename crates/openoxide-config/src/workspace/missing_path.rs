//! Resolves paths of which a part does not exist yet.

use std::path::{Component, Path, PathBuf};

/// The longest path that a system opens, in bytes.
const PATH_MAX: usize = 4096;

/// Tells whether a folder could have this path.
pub(super) fn could_exist(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.len() < PATH_MAX && !bytes.contains(&0)
}

/// Resolves a path: links in the part that exists are followed, the rest is normalized as text.
pub(super) fn resolve_missing(path: &Path) -> PathBuf {
    let existing =
        path.ancestors().find_map(|above| Some((std::fs::canonicalize(above).ok()?, path.strip_prefix(above).ok()?)));
    let (mut resolved, rest) = existing.unwrap_or_else(|| (PathBuf::new(), path));
    for part in rest.components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}
