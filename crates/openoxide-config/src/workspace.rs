//! A project as its user works in it: its settings, the hosts, and the view of each host.

pub(crate) mod error;
mod host_problems;
mod missing_path;
mod rules;
pub(crate) mod set;
pub(crate) mod skill_selector;
pub(crate) mod switch;
pub(crate) mod views;
pub(crate) mod watch_paths;

use std::path::PathBuf;

use openoxide_skills::host::{Hosts, ProjectRules};

use crate::environment::Environment;
use crate::project::find_project;
use crate::settings::config::Config;
use crate::settings::permission_rules::AgentSettings;
use crate::settings::settings_file::SettingsOwner;
use error::WorkspaceError;
use host_problems::{unknown_host_settings, unusable_host};
use missing_path::{could_exist, resolve_missing};

/// What the command line, or a client, adds to the environment.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceOptions {
    /// The folder to work in, instead of the current directory.
    pub project: Option<PathBuf>,
    /// More folders of skills.
    pub added: Vec<PathBuf>,
    /// Files that were read or edited.
    pub touched: Vec<PathBuf>,
    /// Settings as `KEY=VALUE`.
    pub config: Vec<String>,
    /// The agent whose rules apply too.
    pub agent: Option<String>,
    /// Whether `project` may be missing, or be a file. The folders above it are searched all the same.
    pub may_be_missing: bool,
}

/// A project as its user works in it.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The environment; its `cwd` is the folder to work in.
    pub environment: Environment,
    /// The project's root.
    pub project: PathBuf,
    /// The settings.
    pub config: Config,
    /// The hosts.
    pub hosts: Hosts,
    options: WorkspaceOptions,
}

impl Workspace {
    /// Opens the project of `options.project`, or else of the environment's `cwd`.
    pub fn open(mut environment: Environment, options: WorkspaceOptions) -> Result<Workspace, WorkspaceError> {
        // A relative home is relative to where the user is, not to the project: that could contain such a folder.
        environment.fix_home();
        if let Some(folder) = &options.project {
            let path = environment.cwd.join(folder);
            environment.cwd = match std::fs::canonicalize(&path) {
                Ok(real) if real.is_dir() || options.may_be_missing => real,
                _ if options.may_be_missing && could_exist(&path) => resolve_missing(&path),
                _ => return Err(WorkspaceError::NoFolder { path }),
            };
        }
        let project = find_project(&environment.cwd, environment.home.as_deref(), &ProjectRules::default());
        let mut config = Config::load(&environment, &project, &options.config);
        if let Some(name) = options.agent.as_ref().filter(|name| !config.agents().contains_key(*name)) {
            let known = config.agents().keys().cloned().collect();
            return Err(WorkspaceError::UnknownAgent { name: name.clone(), known });
        }
        let mut hosts = Hosts::builtin();
        if let Some(home) = environment.openoxide_home() {
            let errors = hosts.add_folder(&home.join("hosts"));
            config.problems.extend(errors.iter().map(unusable_host));
        }
        let unknown = unknown_host_settings(&config, &hosts);
        config.problems.extend(unknown);
        Ok(Workspace { environment, project, config, hosts, options })
    }

    /// Opens the same workspace again, with the files as they are now.
    pub fn reopen(&self) -> Result<Workspace, WorkspaceError> {
        // `cwd` is the folder of `options.project` already.
        let options = WorkspaceOptions { project: None, ..self.options.clone() };
        Workspace::open(self.environment.clone(), options)
    }

    /// Returns the host that is used when none is named.
    pub fn default_host(&self) -> String {
        self.config.text("host").unwrap_or_else(|| "openoxide".to_owned())
    }

    /// Returns the name of the chosen agent.
    pub fn agent_name(&self) -> Option<&str> {
        self.options.agent.as_deref()
    }

    /// Returns the settings of the chosen agent.
    pub fn agent(&self) -> Option<&AgentSettings> {
        self.config.agents().get(self.options.agent.as_ref()?)
    }

    /// Returns the settings file that changes are written to. `None` if the user has no home folder.
    pub fn settings_file(&self, owner: SettingsOwner) -> Option<PathBuf> {
        match owner {
            SettingsOwner::Project => Some(self.project.join(".openoxide/config.toml")),
            SettingsOwner::User => self.environment.openoxide_home().map(|home| home.join("config.toml")),
        }
    }
}
