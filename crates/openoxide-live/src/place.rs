//! What a catalog is made for.

use std::path::PathBuf;

use openoxide_config::WorkspaceOptions;

/// What a catalog is made for: a folder, and how it is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The folder to act in, absolute.
    pub folder: PathBuf,
    /// The host, as `name` or `name@edition`; absent: what the settings say.
    pub host: Option<String>,
    /// The agent whose rules count too.
    pub agent: Option<String>,
    /// More folders of skills, absolute.
    pub added: Vec<PathBuf>,
    /// Settings as `KEY=VALUE`.
    pub config: Vec<String>,
    /// Whether the folder may be missing: what lies above it, and what is the user's, counts all the same.
    pub may_be_missing: bool,
}

impl Place {
    /// Returns the place of a folder, looked at as its settings say.
    pub fn of(folder: impl Into<PathBuf>) -> Place {
        Place { folder: folder.into(), ..Place::default() }
    }

    /// Returns what opens it.
    pub(crate) fn options(&self) -> WorkspaceOptions {
        WorkspaceOptions {
            project: Some(self.folder.clone()),
            added: self.added.clone(),
            touched: Vec::new(),
            config: self.config.clone(),
            agent: self.agent.clone(),
            may_be_missing: self.may_be_missing,
        }
    }
}
