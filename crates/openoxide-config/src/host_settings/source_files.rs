//! The files that a source of a host's settings names.

use std::path::PathBuf;

use openoxide_skills::host::{Host, SettingSource};
use openoxide_skills::root::Surroundings;

/// Returns the files of a source, weakest first, whether or not they exist.
pub(crate) fn source_files(source: &SettingSource, host: &Host, around: &Surroundings) -> Vec<PathBuf> {
    if let Some(file) = &source.file {
        return around.expand(file, &host.vars).into_iter().collect();
    }
    let folders = source.folder.iter().flat_map(|folder| around.places(folder, &host.vars));
    folders.flat_map(|folder| source.files.iter().map(move |file| folder.join(file))).collect()
}
