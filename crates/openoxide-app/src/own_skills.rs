//! Use case: write OpenOxide's own skills to their folder, when something needs their files.

use openoxide_config::Environment;
use openoxide_live::{PlaceSettings, Snapshot};
use openoxide_skills::catalog::Entry;

use crate::error::{Error, ErrorKind};

/// Writes the skills, unless they are there. Returns their folder if something was written.
pub fn write(environment: &Environment) -> Result<Option<std::path::PathBuf>, Error> {
    openoxide_config::unpack_system_skills(environment).map_err(|error| {
        let message = format!("OpenOxide's own skills cannot be written: {error}");
        let help = "set OPENOXIDE_HOME to a folder of your own, or OPENOXIDE_SYSTEM_SKILLS=off to leave them out";
        Error::other(ErrorKind::Failed, "not-written", message).with_help(help)
    })
}

/// Tells whether a text names one of the skills, and its files are only in the program.
pub fn is_unwritten(snapshot: &Snapshot, text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let is_named = |entry: &Entry| text.split(|letter| !is_part(letter)).any(|word| word == &*entry.skill.name);
    snapshot.catalog.skills.iter().any(|entry| !snapshot.catalog.roots[entry.root].exists && is_named(entry))
}

/// Tells whether the host looks where the skills belong.
pub fn are_looked_for(place: &PlaceSettings) -> bool {
    let embedded = place.view.around.embedded.as_ref();
    embedded.is_some_and(|skills| place.view.roots.iter().any(|root| root.path == skills.folder))
}
