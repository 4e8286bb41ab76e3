//! A project as its user works in it: its settings and rules, the hosts, and the view of each host.

pub(crate) mod error;
pub(crate) mod freshness;
mod host_problems;
pub(crate) mod my_agents;
pub(crate) mod project_root;
pub(crate) mod set;
pub(crate) mod skill_selector;
pub(crate) mod switch;
mod switch_place;
pub(crate) mod views;
pub(crate) mod watch_paths;

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use openoxide_permissions::{RuleError, Rules};
use openoxide_skills::catalog::{HostNames, View};
use openoxide_skills::host::{Host, Hosts};

use crate::document::PlannedFile;
use crate::settings::load::project_file;
use crate::{AgentSettings, Config, Environment, SettingsOwner};
use error::WorkspaceError;
use freshness::SettingsStamps;
use host_problems::{unknown_agents, unknown_default, unknown_host_settings, unusable_host};
use project_root::{find_repository, is_repository};

/// The host whose rules are our own.
pub const OWN_HOST: &str = "openoxide";

/// The longest path that a system opens, in bytes.
const PATH_MAX: usize = 4096;

/// What a client works on: a folder, and the options that decide how it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The folder to work in. If empty, it is the current directory of the environment.
    pub folder: PathBuf,
    /// The host, as `name` or `name@edition`. If absent, the setting `host` may name it.
    pub host: Option<String>,
    /// The agent whose rules apply as well.
    pub agent: Option<String>,
    /// Whether a program named the agent. Then its rules restrict, and allow nothing that is not allowed without them.
    pub agent_only_restricts: bool,
    /// More folders of skills.
    pub added: Vec<PathBuf>,
    /// Files that the agent has read or edited, which some hosts search beside for skills.
    pub touched: Vec<PathBuf>,
    /// Settings as `KEY=VALUE`.
    pub config: Vec<String>,
    /// The root of the project as it was found before. The folder lies in it, and nothing above it becomes part of the
    /// project. If absent, the project is found anew.
    pub project: Option<PathBuf>,
    /// Whether a program chose the folder, and it lies in no project that is served. It is then looked at, and is the project
    /// of no command unless the user trusts it.
    pub chosen_by_program: bool,
    /// Whether the folder must be given without links: it was judged by its path, and a link would lead elsewhere.
    pub without_links: bool,
    /// Whether the folder may be missing, or be a file. The folders above it are searched all the same.
    pub may_be_missing: bool,
}

impl Place {
    /// Returns the place of a folder with no options.
    pub fn of(folder: impl Into<PathBuf>) -> Place {
        Place { folder: folder.into(), ..Place::default() }
    }

    /// Returns the same place with its project as it is now: nobody widens it by what they put above it later.
    pub fn fixed(self, environment: &Environment) -> Result<Place, WorkspaceError> {
        let workspace = Workspace::open(environment.clone(), self.clone())?;
        Ok(Place { folder: workspace.environment.cwd, project: Some(workspace.project), ..self })
    }
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
    place: Place,
    stamps: Arc<SettingsStamps>,
    /// How the hosts change names, once that was asked.
    host_names: OnceLock<Arc<HostNames>>,
}

impl Workspace {
    /// Opens the project that a place is in.
    pub fn open(environment: Environment, place: Place) -> Result<Workspace, WorkspaceError> {
        Workspace::open_planned(environment, place, None)
    }

    /// Opens the same, with one settings file as it would be after a change.
    fn open_planned(
        mut environment: Environment,
        place: Place,
        planned: Option<&PlannedFile>,
    ) -> Result<Workspace, WorkspaceError> {
        // A relative home is relative to where the user is, not to the project: that could contain such a folder.
        environment.fix_home();
        let is_named = !place.folder.as_os_str().is_empty();
        if is_named || place.without_links {
            let path = if is_named { environment.cwd.join(&place.folder) } else { environment.cwd.clone() };
            environment.cwd = match std::fs::canonicalize(&path) {
                // A link that was put there since would lead into a project without its rules.
                Ok(real) if place.without_links && real != path => return Err(WorkspaceError::NoFolder { path }),
                Ok(real) if real.is_dir() || place.may_be_missing => real,
                _ if place.may_be_missing && could_exist(&path) => resolve_missing(&path),
                _ => return Err(WorkspaceError::NoFolder { path }),
            };
        }
        let found = find_repository(&environment.cwd, environment.home.as_deref());
        // Before they are read: what happens meanwhile is a change.
        let users = environment
            .openoxide_home()
            .into_iter()
            .flat_map(|home| ["config.toml", "state/trust.toml"].map(|file| home.join(file)));
        let mut fixed: Vec<PathBuf> = users.chain([environment.admin.join("config.toml")]).collect();
        let above = environment.cwd.ancestors().map(project_file);
        let mut stamps = SettingsStamps::take(fixed.iter().cloned().chain(above));
        let mut project = within(&environment.cwd, found, place.project.as_deref())?;
        let mut config = Config::load_planned(&environment, &project, &place.config, planned);
        // A folder that the user trusts is a project, also without version control: its rules hold in all of it.
        if !is_repository(&project)
            && let Some(trusted) = config.trusted_above(&environment.cwd).filter(|trusted| *trusted != project)
        {
            project = within(&environment.cwd, trusted, place.project.as_deref())?;
            config = Config::load_planned(&environment, &project, &place.config, planned);
        }
        // A change of any other file above the folder, which another user may be free to make, changes no setting.
        fixed.extend(project_files(&config, &project));
        stamps.retain(|file| fixed.iter().any(|known| known == file));
        let mut hosts = Hosts::builtin();
        if let Some(home) = environment.openoxide_home() {
            let errors = hosts.add_folder(&home.join("hosts"));
            config.problems.extend(errors.iter().map(unusable_host));
        }
        let unknown = unknown_host_settings(&config, &hosts).into_iter().chain(unknown_agents(&config, &hosts));
        config.problems.extend(unknown.chain(unknown_default(&config)).collect::<Vec<_>>());
        let (stamps, host_names) = (Arc::new(stamps), OnceLock::new());
        let workspace = Workspace { environment, project, config, hosts, place, stamps, host_names };
        workspace.refuse_unknown_agent()?;
        Ok(workspace)
    }

    /// Refuses an agent that neither our settings nor the host that is named have. A program chooses among ours only.
    fn refuse_unknown_agent(&self) -> Result<(), WorkspaceError> {
        let own = self.config.agents();
        let Some(name) = self.place.agent.as_ref().filter(|name| !own.contains_key(*name)) else { return Ok(()) };
        let mut known: Vec<String> = own.keys().cloned().collect();
        let host = self.named_host().filter(|_| !self.place.agent_only_restricts);
        if let Some((view, _)) = host.map(|host| self.view(&host)).transpose()? {
            known.extend(agents_of(&view));
            known.sort();
            known.dedup();
        }
        match known.contains(name) {
            true => Ok(()),
            false => Err(WorkspaceError::UnknownAgent { name: name.clone(), known, hosts: self.hosts_with(name) }),
        }
    }

    /// Returns which of the hosts that the user works with have an agent. A program may not choose among those.
    fn hosts_with(&self, agent: &str) -> Vec<String> {
        let mine = self.usual_agents().ok().filter(|_| !self.place.agent_only_restricts);
        let views = mine.into_iter().flat_map(|mine| mine.hosts).map(|host| host.view);
        views.filter(|view| agents_of(view).any(|name| name == agent)).map(|view| view.spec.id()).collect()
    }

    /// Returns our own settings files as they were when this was opened.
    pub fn settings_stamps(&self) -> &Arc<SettingsStamps> {
        &self.stamps
    }

    /// Opens the same workspace again, with the files as they are now.
    pub fn reopen(&self) -> Result<Workspace, WorkspaceError> {
        self.reopen_planned(None)
    }

    /// Opens the same workspace again, with one settings file as it would be after a change.
    fn reopen_planned(&self, planned: Option<&PlannedFile>) -> Result<Workspace, WorkspaceError> {
        // `cwd` is the folder of the place already.
        let place = Place { folder: PathBuf::new(), ..self.place.clone() };
        Workspace::open_planned(self.environment.clone(), place, planned)
    }

    /// Returns the one host that the request or the setting `host` names.
    pub fn named_host(&self) -> Option<String> {
        self.place.host.clone().or_else(|| self.config.text("host"))
    }

    /// Returns the host that is used where one is needed and none is named.
    pub fn default_host(&self) -> String {
        self.config.text("host").unwrap_or_else(|| OWN_HOST.to_owned())
    }

    /// Tells whether the project's files may be given to commands, and attached: not if a program chose the folder, unless
    /// the user trusts it.
    pub fn gives_files(&self) -> bool {
        !self.place.chosen_by_program || self.config.trusts(&self.project)
    }

    /// Returns the name of the chosen agent.
    pub fn agent_name(&self) -> Option<&str> {
        self.place.agent.as_deref()
    }

    /// Returns the settings of the chosen agent.
    pub fn agent(&self) -> Option<&AgentSettings> {
        self.config.agents().get(self.place.agent.as_ref()?)
    }

    /// Returns the rules that apply in a view, weakest first: built-in, the host's, the user's, the agent's.
    pub fn rules(&self, view: &View) -> Result<Rules, RuleError> {
        let mut rules = Rules::builtin();
        rules.0.extend(view.call_rules().0);
        rules.0.extend(self.own_rules()?.0);
        Ok(rules)
    }

    /// Returns the user's rules, then the agent's. They apply for every host.
    pub fn own_rules(&self) -> Result<Rules, RuleError> {
        let mut rules = self.config.complete_rules()?.clone();
        rules.0.extend(self.agent_rules().0);
        Ok(rules)
    }

    /// Returns the rules that decide which skills are listed: the agent's for every host, the user's where the host
    /// has them apply.
    fn listing_rules(&self, host: &Host) -> Result<Rules, RuleError> {
        let own = self.config.rules()?;
        let mut rules = if host.own_permissions { own.clone() } else { Rules::default() };
        rules.0.extend(self.agent_rules().0);
        Ok(rules)
    }

    fn agent_rules(&self) -> Rules {
        let mut rules = self.agent().map(|agent| agent.rules.clone()).unwrap_or_default();
        for rule in &mut rules.0 {
            rule.only_stricter |= self.place.agent_only_restricts;
        }
        rules
    }

    /// Returns the settings files of the project and of the trusted folders around it, weakest first.
    pub fn project_files(&self) -> Vec<PathBuf> {
        project_files(&self.config, &self.project)
    }

    /// Returns the settings file that changes are written to. `None` if the user has no home folder.
    pub fn settings_file(&self, owner: SettingsOwner) -> Option<PathBuf> {
        match owner {
            SettingsOwner::Project => Some(project_file(&self.project)),
            SettingsOwner::User => self.environment.openoxide_home().map(|home| home.join("config.toml")),
        }
    }
}

fn project_files(config: &Config, project: &Path) -> Vec<PathBuf> {
    let around = config.trusted_around(project);
    around.iter().map(PathBuf::as_path).chain([project]).map(project_file).collect()
}

/// Returns the names of the agents that a host itself has.
fn agents_of(view: &View) -> impl Iterator<Item = String> {
    view.host.agents.iter().flat_map(|agents| agents.names(&view.settings)).map(str::to_owned)
}

/// Returns the nearer of the project that was found and the one that was fixed before, which must hold the folder.
fn within(cwd: &Path, found: PathBuf, fixed: Option<&Path>) -> Result<PathBuf, WorkspaceError> {
    match fixed {
        // Where it leads now is nobody's business.
        Some(fixed) if !cwd.starts_with(fixed) => Err(WorkspaceError::NoFolder { path: fixed.to_owned() }),
        Some(fixed) if fixed.starts_with(&found) || !is_repository(&found) => Ok(fixed.to_owned()),
        _ => Ok(found),
    }
}

fn could_exist(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.len() < PATH_MAX && !bytes.contains(&0)
}

/// Resolves a path: links in the part that exists are followed, the rest is normalized as text.
fn resolve_missing(path: &Path) -> PathBuf {
    let existing =
        path.ancestors().find_map(|above| Some((std::fs::canonicalize(above).ok()?, path.strip_prefix(above).ok()?)));
    let (mut resolved, rest) = existing.unwrap_or_else(|| (PathBuf::new(), path));
    for part in rest.components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}

#[cfg(test)]
mod tests;
