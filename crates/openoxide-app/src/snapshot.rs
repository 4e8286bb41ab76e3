//! Opens a project once, for a face that answers one request and ends.

use std::path::PathBuf;

use openoxide_config::{Environment, Workspace};
use openoxide_live::{Place, PlaceSettings};

use crate::error::{Error, ErrorKind};

/// What decides which project is opened, and how it is seen.
#[derive(Clone, Debug, Default)]
pub struct OpenInput {
    /// The folder to act in; absent: the current folder.
    pub project: Option<PathBuf>,
    /// The host, as `name` or `name@edition`; absent: what the settings say.
    pub host: Option<String>,
    /// The agent whose rules apply as well.
    pub agent: Option<String>,
    /// More folders of skills.
    pub added: Vec<PathBuf>,
    /// Files that the agent has read or edited.
    pub touched: Vec<PathBuf>,
    /// Settings as `KEY=VALUE`.
    pub config: Vec<String>,
}

impl OpenInput {
    /// Returns the place that is meant. Folders may be relative to the current one.
    pub fn place(&self) -> Place {
        Place {
            folder: self.project.clone().unwrap_or_default(),
            host: self.host.clone(),
            agent: self.agent.clone(),
            added: self.added.clone(),
            touched: self.touched.clone(),
            config: self.config.clone(),
            may_be_missing: false,
        }
    }
}

/// Opens a project with its settings, for use cases that look through the eyes of every host.
pub fn open_workspace(input: &OpenInput) -> Result<Workspace, Error> {
    Ok(Workspace::open(Environment::from_process(), input.place().options())?)
}

/// Makes one host's view of a project. Nothing is searched yet: each use case says how thoroughly.
pub fn open(workspace: Workspace, place: &Place) -> Result<PlaceSettings, Error> {
    Ok(PlaceSettings::of_workspace(workspace, place)?)
}

/// Refuses settings of the request itself that make no sense: unlike a file, they are not there to be fixed later.
pub fn refuse_bad_settings(workspace: &Workspace) -> Result<(), Error> {
    let Some(problem) = workspace.config.problems.iter().find(|problem| problem.path.is_none()) else { return Ok(()) };
    let error = Error::other(ErrorKind::Invalid, "bad-setting", problem.diagnostic.message.clone());
    Err(error.with_help(problem.diagnostic.help.clone().unwrap_or_default()))
}
