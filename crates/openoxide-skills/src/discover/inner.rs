//! Folders inside a skill's folder that hold metadata files or manifests, and manifests that are links.

use std::path::PathBuf;

use super::folder::Folder;

/// A folder in a folder, which holds a metadata file or a manifest, or a manifest that is a link: where it really is, if it
/// leads anywhere, and where it was found.
pub(super) type Inner = (Option<PathBuf>, PathBuf);

/// Finds the folders in a folder that hold metadata files or manifests.
pub(super) fn inner_folders<'n>(folder: &Folder, names: impl IntoIterator<Item = &'n str>) -> Vec<Inner> {
    let mut inner: Vec<Inner> = Vec::new();
    for name in names {
        let found = folder.canonical().join(name);
        let Ok(stat) = std::fs::symlink_metadata(&found) else { continue };
        if stat.is_symlink() {
            inner.push((std::fs::canonicalize(&found).ok(), folder.path.join(name)));
        } else if stat.is_dir() {
            inner.push((Some(found), folder.path.join(name)));
        }
    }
    inner
}

/// Finds the manifests of a folder that are links.
pub(super) fn linked_manifests<'n>(folder: &Folder, files: impl IntoIterator<Item = &'n String>) -> Vec<Inner> {
    let links = files.into_iter().map(|file| folder.path.join(file)).filter(|path| path.is_symlink());
    links.map(|path| (std::fs::canonicalize(&path).ok(), path)).collect()
}
