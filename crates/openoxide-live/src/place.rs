//! Names what a snapshot is made for: a folder, and the options that decide how it is read.

use std::path::PathBuf;

use openoxide_config::WorkspaceOptions;

/// What a snapshot is made for: a folder, and the options that decide how it is read. Two clients that mean the same
/// place share one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The folder to act in, absolute. If empty, it is the current folder of the environment.
    pub folder: PathBuf,
    /// The host, as `name` or `name@edition`. If absent, the settings name it.
    pub host: Option<String>,
    /// The agent whose rules apply as well.
    pub agent: Option<String>,
    /// More folders of skills, absolute.
    pub added: Vec<PathBuf>,
    /// Files that the agent has read or edited, which some hosts search beside for skills.
    pub touched: Vec<PathBuf>,
    /// Settings as `KEY=VALUE`.
    pub config: Vec<String>,
    /// Whether the folder may be missing. The folders above it and the user's own skills are read all the same.
    pub may_be_missing: bool,
}

impl Place {
    /// Returns the place of a folder with no options.
    pub fn of(folder: impl Into<PathBuf>) -> Place {
        Place { folder: folder.into(), ..Place::default() }
    }

    /// Returns the options that open the workspace of this place.
    pub fn options(&self) -> WorkspaceOptions {
        WorkspaceOptions {
            project: (!self.folder.as_os_str().is_empty()).then(|| self.folder.clone()),
            added: self.added.clone(),
            touched: self.touched.clone(),
            config: self.config.clone(),
            agent: self.agent.clone(),
            may_be_missing: self.may_be_missing,
        }
    }
}
