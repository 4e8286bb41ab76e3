//! Writes OpenOxide's own skills to their folder, before files of theirs are needed.

use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_live::PlaceSettings;
use openoxide_skills::catalog::{Entry, View};
use openoxide_skills::text::TerminalText;

use crate::error::{Error, ErrorKind};

/// Writes the skills if the host looks where they belong and they are not there. Returns their folder if something was
/// written.
pub fn write(place: &PlaceSettings) -> Result<Option<PathBuf>, Error> {
    if place.view.roots.iter().any(|root| are_in(&place.view, &root.path)) {
        unpack(&place.workspace)
    } else {
        Ok(None)
    }
}

/// Writes the skills if one of these is one of them. Returns their folder if something was written.
pub(crate) fn write_if_among(place: &PlaceSettings, entries: &[&Entry]) -> Result<Option<PathBuf>, Error> {
    let is_own = |entry: &&Entry| entry.found().ancestors().any(|folder| are_in(&place.view, folder));
    if entries.iter().any(is_own) { unpack(&place.workspace) } else { Ok(None) }
}

/// Says where the skills are now.
pub fn written_line(folder: &Path) -> String {
    format!("OpenOxide's own skills are now in {}", TerminalText(&folder.to_string_lossy()))
}

/// Tells whether the skills belong in a folder.
fn are_in(view: &View, folder: &Path) -> bool {
    view.around.embedded.as_ref().is_some_and(|skills| skills.folder == folder)
}

fn unpack(workspace: &Workspace) -> Result<Option<PathBuf>, Error> {
    openoxide_config::unpack_system_skills(&workspace.environment)
        .map_err(|error| Error::other(ErrorKind::Failed, "not-written", error.to_string()).with_help(error.help()))
}
