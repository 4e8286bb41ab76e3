//! The files that a place of a host's settings names.

use std::path::PathBuf;

use openoxide_skills::host::{Host, SettingLayer};
use openoxide_skills::root::Surroundings;

/// Returns the files of a layer, weakest first, whether or not they exist.
///
/// Files that walk take turns at each folder of the walk, so that a nearer folder is stronger than any file of another.
pub(crate) fn layer_files(layer: &SettingLayer, host: &Host, around: &Surroundings) -> Vec<PathBuf> {
    let files: Vec<Vec<PathBuf>> = layer.files.iter().map(|file| around.places(file, &host.vars)).collect();
    let steps = files.iter().map(Vec::len).max().unwrap_or_default();
    (0..steps).flat_map(|step| files.iter().filter_map(move |places| places.get(step).cloned())).collect()
}
