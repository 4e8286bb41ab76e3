//! Writes OpenOxide's own skills to their folder, for the commands that need their files.

use openoxide_app::{Depth, Environment, Snapshot, own_skills};

use crate::session::search;
use crate::ui::{Ui, safe};

/// Opens the project and searches it, for a command that reads files of the skill that was typed. If the skill is one of
/// OpenOxide's own and only in the program, they are written first.
pub(crate) fn search_files_of(ui: &Ui, skill: &str) -> anyhow::Result<Snapshot> {
    let snapshot = search(ui, Depth::Quick)?;
    if !own_skills::is_unwritten(&snapshot, skill) {
        return Ok(snapshot);
    }
    write_own_skills(ui, &snapshot.workspace.environment)?;
    search(ui, Depth::Quick)
}

/// Writes OpenOxide's own skills where its host looks, unless they are there: what follows reads their files.
pub(crate) fn write_own_skills(ui: &Ui, environment: &Environment) -> anyhow::Result<()> {
    if let Some(folder) = own_skills::write(environment)? {
        ui.say(&format!("OpenOxide's own skills are now in {}", safe(&folder.to_string_lossy())));
    }
    Ok(())
}
