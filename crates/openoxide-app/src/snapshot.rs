//! Opens a project once, for a face that answers one request and ends.

use openoxide_config::{Environment, Workspace};
use openoxide_live::{Place, PlaceSettings};

use crate::error::{Error, ErrorKind};

/// Opens a project with its settings, for every host. Folders of the place may be relative to the current one.
pub fn open_workspace(place: &Place) -> Result<Workspace, Error> {
    Ok(Workspace::open(Environment::from_process(), place.clone())?)
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
