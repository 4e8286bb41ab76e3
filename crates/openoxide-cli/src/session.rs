//! From the command line to a project, a host's view of it, and its catalog.

use std::path::Path;

use openoxide_app::Error;
use openoxide_config::{ConfigProblem, Environment, Workspace, WorkspaceOptions};
use openoxide_skills::catalog::{Catalog, Depth, Entry, Problem, View, load};
use openoxide_skills::diagnostic::Code;

use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::typed;
use crate::ui::{Ui, safe, safe_lines};

/// A project, and one host's view of it.
pub(crate) struct Session {
    pub(crate) workspace: Workspace,
    pub(crate) view: View,
    pub(crate) problems: Vec<ConfigProblem>,
    /// What was typed, for the commands that are suggested.
    common: Common,
}

/// Opens the project that the command line means.
pub(crate) fn open_workspace(ui: &Ui, common: &Common) -> anyhow::Result<Workspace> {
    let options = WorkspaceOptions {
        project: common.project.clone(),
        added: common.add_dir.clone(),
        touched: common.touch.clone(),
        config: common.config.clone(),
        agent: common.agent.clone(),
        ..WorkspaceOptions::default()
    };
    let workspace = Workspace::open(Environment::from_process(), options)?;
    ui.use_color(&workspace.config.text("color").unwrap_or_default());
    // What was typed wrong is not a file to be mended later.
    if let Some(problem) = workspace.config.problems.iter().find(|problem| problem.path.is_none()) {
        let told = Told::failed(problem.diagnostic.message.clone());
        return Err(told.hint(problem.diagnostic.help.clone().unwrap_or_default()).into());
    }
    Ok(workspace)
}

impl Session {
    /// Opens the project and the host's view of it.
    pub(crate) fn open(ui: &Ui, common: &Common) -> anyhow::Result<Session> {
        let workspace = open_workspace(ui, common)?;
        let host = common.host.clone().unwrap_or_else(|| workspace.default_host());
        let (view, host_problems) = workspace.view(&host)?;
        let problems = workspace.config.problems.iter().cloned().chain(host_problems).collect();
        Ok(Session { workspace, view, problems, common: common.clone() })
    }

    /// Writes a command that looks at the same as this one.
    pub(crate) fn command(&self, verb: &str) -> String {
        typed::command(&self.common, verb, None, "")
    }

    /// Writes a command that looks at the same project, whatever the host.
    pub(crate) fn command_for_all(&self, verb: &str) -> String {
        typed::command(&typed::for_all(&self.common), verb, None, "")
    }

    /// Makes the catalog; what is wrong with settings is among its findings.
    pub(crate) fn catalog(&self, depth: Depth) -> Catalog {
        let mut catalog = load(std::slice::from_ref(&self.view), depth).remove(0);
        let own = self.problems.iter().map(|problem| Problem {
            path: problem.path.clone().unwrap_or_else(|| "--config".into()),
            diagnostic: problem.diagnostic.clone(),
        });
        catalog.problems.splice(0..0, own);
        catalog
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

    /// Finds the entries that a name or path means, or says what is near.
    pub(crate) fn find<'c>(&self, catalog: &'c Catalog, wanted: &str) -> Result<Vec<&'c Entry>, Error> {
        openoxide_app::find(&self.workspace, catalog, wanted)
    }

    /// Returns what a skill is found by: the whole path if a path was typed that leads to one, or else the word itself.
    pub(crate) fn meant(&self, catalog: &Catalog, wanted: &str) -> String {
        self.workspace.resolve_skill_reference(catalog, wanted)
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
