//! From the command line to a project, and one host's view of it.

use std::ops::Deref;
use std::path::Path;

use openoxide_app::paths;
use openoxide_app::{Code, ConfigProblem, Depth, Place, PlaceSettings, Snapshot, Workspace};

use crate::args::Common;
use crate::typed;
use crate::ui::{Ui, safe, safe_lines};

/// A project and one host's view of it, with what was typed.
pub(crate) struct Session {
    settings: PlaceSettings,
    place: Place,
    /// What was typed, for the commands that are suggested.
    common: Common,
}

impl Deref for Session {
    type Target = PlaceSettings;

    fn deref(&self) -> &PlaceSettings {
        &self.settings
    }
}

fn place(common: &Common) -> Place {
    Place {
        folder: common.project.clone().unwrap_or_default(),
        host: common.host.clone(),
        agent: common.agent.clone(),
        added: common.add_dir.clone(),
        touched: common.touch.clone(),
        config: common.config.clone(),
        may_be_missing: false,
    }
}

/// Opens the project that the command line means.
pub(crate) fn open_workspace(ui: &Ui, common: &Common) -> anyhow::Result<Workspace> {
    let workspace = openoxide_app::open_workspace(&place(common))?;
    ui.use_color(&workspace.config.text("color").unwrap_or_default());
    openoxide_app::refuse_bad_settings(&workspace)?;
    Ok(workspace)
}

impl Session {
    /// Opens the project and the host's view of it.
    pub(crate) fn open(ui: &Ui, common: &Common) -> anyhow::Result<Session> {
        let place = place(common);
        let settings = openoxide_app::open(open_workspace(ui, common)?, &place)?;
        Ok(Session { settings, place, common: common.clone() })
    }

    /// Searches for skills.
    pub(crate) fn search(&self, depth: Depth) -> Snapshot {
        self.settings.clone().search(&self.place, depth)
    }

    /// Writes a command that looks at the same as this one.
    pub(crate) fn command(&self, verb: &str) -> String {
        typed::command(&self.common, verb, None, "")
    }

    /// Writes a command that looks at the same project, whatever the host.
    pub(crate) fn command_for_all(&self, verb: &str) -> String {
        typed::command(&typed::for_all(&self.common), verb, None, "")
    }

    /// Warns of what is wrong with settings.
    pub(crate) fn warn(&self, ui: &Ui) {
        for problem in &self.problems {
            // An untrusted project is the usual state, not news at every command.
            if problem.diagnostic.code != Code::ConfigUntrusted {
                ui.warn(&problem_line(&self.workspace, problem));
            }
        }
    }
}

/// Says that the skills that come with OpenOxide are now on disk.
pub(crate) fn say_unpacked(ui: &Ui, workspace: &Workspace, folder: &Path) {
    let place = paths::short(workspace, folder);
    ui.say(&format!("OpenOxide's own skills are now in {place}; `openoxide list` shows them as `system`"));
}

/// Writes a problem of a settings file on one line.
pub(crate) fn problem_line(workspace: &Workspace, problem: &ConfigProblem) -> String {
    let place = problem.path.as_ref().map_or_else(|| "--config".to_owned(), |path| paths::short(workspace, path));
    let line = problem.diagnostic.place.as_ref().map_or_else(String::new, |place| format!(":{}", place.line));
    let help = problem.diagnostic.help.as_ref().map_or_else(String::new, |help| format!("; {}", safe(help)));
    format!("{place}{line}: {} [{}]{help}", safe_lines(&problem.diagnostic.message), problem.diagnostic.code)
}
