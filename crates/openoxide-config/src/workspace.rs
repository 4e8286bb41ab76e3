//! A project as a user stands in it: its settings, the hosts there are, and the view of each.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use openoxide_permissions::{Permission, Remembered, RuleError, Rules};
use openoxide_skills::{
    Code, Diagnostic, Host, HostError, HostSpec, Hosts, ProjectRules, Root, Surroundings, View, near,
};

use crate::environment::Environment;
use crate::found::{HostInstallation, detect_host};
use crate::host_files::read_settings;
use crate::layers::{Config, ConfigProblem};
use crate::permission::AgentSettings;
use crate::project::find_project;

/// What the command line adds.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceOptions {
    /// The folder to act in, instead of cwd.
    pub project: Option<PathBuf>,
    /// More folders of skills.
    pub added: Vec<PathBuf>,
    /// Files that were read or edited.
    pub touched: Vec<PathBuf>,
    /// Settings as `KEY=VALUE`.
    pub config: Vec<String>,
    /// The agent whose rules count too.
    pub agent: Option<String>,
    /// Whether `project` may be a folder that is not there, or a file: what lies above it counts all the same.
    pub may_be_missing: bool,
}

/// Why a project cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no such folder.
    #[error("`{}` is not a folder", path.display())]
    NoFolder {
        /// What was asked for.
        path: PathBuf,
    },
    /// A host cannot be used.
    #[error(transparent)]
    Host(#[from] HostError),
    /// There is no such agent.
    #[error("there is no agent `{name}`")]
    UnknownAgent {
        /// What was asked for.
        name: String,
        /// The agents there are.
        known: Vec<String>,
    },
    /// A permission rule cannot count, and it may be one that denies.
    #[error("a permission rule is not usable")]
    Rule(#[from] RuleError),
}

impl WorkspaceError {
    /// Returns the stable word for the error: every face shows the same one.
    pub fn word(&self) -> &'static str {
        match self {
            WorkspaceError::NoFolder { .. } => "no-folder",
            WorkspaceError::Host(_) => "no-host",
            WorkspaceError::UnknownAgent { .. } => "no-agent",
            WorkspaceError::Rule(_) => "bad-rule",
        }
    }

    /// Returns the next step, if there is one. Names in it come from settings: escape them before showing them.
    pub fn hint(&self) -> Option<String> {
        match self {
            WorkspaceError::UnknownAgent { name, known } => {
                Some(one_of(name, known, "add it to your config.toml, as `[agents.NAME]`"))
            }
            WorkspaceError::Host(HostError::Unknown { name, known }) => Some(one_of(name, known, "add a host")),
            WorkspaceError::Host(HostError::UnknownEdition { edition, known, .. }) => {
                Some(one_of(edition, known, "it has one edition only"))
            }
            WorkspaceError::Rule(_) => Some("mend the rule; nothing is decided by guessing it".to_owned()),
            WorkspaceError::NoFolder { .. } | WorkspaceError::Host(_) => None,
        }
    }
}

/// Names the closest known name, or all of them; `otherwise` if there are none.
fn one_of(wanted: &str, known: &[String], otherwise: &str) -> String {
    let list = known.join("`, `");
    match near(wanted, known.iter().map(String::as_str)).first() {
        Some(near) => format!("did you mean `{near}`? There are `{list}`"),
        None if known.is_empty() => otherwise.to_owned(),
        None => format!("there are `{list}`"),
    }
}

/// A host whose program is there.
#[derive(Clone, Debug)]
pub struct DetectedHost {
    /// What shows that it is there.
    pub installation: HostInstallation,
    /// Its view.
    pub view: View,
    /// What is wrong with its own files.
    pub problems: Vec<ConfigProblem>,
}

/// A project as a user stands in it.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// What the process is surrounded by, `cwd` being the folder to act in.
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
    /// Opens the project that the environment's cwd, or `options.project`, lies in.
    pub fn open(mut environment: Environment, options: WorkspaceOptions) -> Result<Workspace, WorkspaceError> {
        // The user's folder is where the user stands, not where they point to: a project could hold one of that name.
        environment.fix_home();
        if let Some(folder) = &options.project {
            let path = environment.cwd.join(folder);
            environment.cwd = match std::fs::canonicalize(&path) {
                Ok(real) if real.is_dir() || options.may_be_missing => real,
                _ if options.may_be_missing && could_be(&path) => expected(&path),
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
            for error in hosts.add_folder(&home.join("hosts")) {
                config.problems.push(host_problem(&error));
            }
        }
        let unknown = unknown_settings(&config, &hosts);
        config.problems.extend(unknown);
        Ok(Workspace { environment, project, config, hosts, options })
    }

    /// Opens the same again, as it is now.
    pub fn reopen(&self) -> Result<Workspace, WorkspaceError> {
        // The folder to act in is cwd by now.
        let options = WorkspaceOptions { project: None, ..self.options.clone() };
        Workspace::open(self.environment.clone(), options)
    }

    /// Returns the host that is asked for when nobody names one.
    pub fn default_host(&self) -> String {
        self.config.text("host").unwrap_or_else(|| "openoxide".to_owned())
    }

    /// Returns the name of the agent that was asked for.
    pub fn agent_name(&self) -> Option<&str> {
        self.options.agent.as_deref()
    }

    /// Returns the agent that was asked for.
    pub fn agent(&self) -> Option<&AgentSettings> {
        self.config.agents().get(self.options.agent.as_ref()?)
    }

    /// Returns the rules that hold in a view, weakest first: built in, the host's, the user's, the agent's.
    pub fn rules(&self, view: &View) -> Result<Rules, RuleError> {
        let mut rules = Rules::builtin();
        rules.extend(view.call_rules());
        rules.extend(self.own_rules()?);
        Ok(rules)
    }

    /// Returns the rules of the user and then of the agent, which hold whatever the host.
    pub fn own_rules(&self) -> Result<Rules, RuleError> {
        let mut rules = self.config.complete_rules()?.clone();
        rules.extend(self.agent_rules());
        Ok(rules)
    }

    /// Returns what was allowed for good, for everybody or for this agent.
    ///
    /// What was answered counts letter by letter, whatever it looks like: a `*` in a command is no pattern.
    pub fn remembered(&self) -> Remembered {
        let mut remembered = Remembered::default();
        let ours = |agent: &Option<String>| agent.is_none() || *agent == self.options.agent;
        for answer in self.config.trust().remembered_answers().filter(|answer| ours(&answer.agent)) {
            if let Some(permission) = Permission::parse(&answer.permission) {
                remembered.allow(permission, answer.pattern.as_str());
            }
        }
        remembered
    }

    /// Returns the rules that decide which skills count: an agent's everywhere, the others where the host has them.
    fn listing_rules(&self, host: &Host) -> Result<Rules, RuleError> {
        let own = self.config.rules()?;
        let mut rules = if host.filter.own_rules { own.clone() } else { Rules::default() };
        rules.extend(self.agent_rules());
        Ok(rules)
    }

    fn agent_rules(&self) -> Rules {
        self.agent().map(|agent| agent.rules.clone()).unwrap_or_default()
    }

    /// Makes the view of a host; returns it and what is wrong with the host's own files.
    pub fn view(&self, id: &str) -> Result<(View, Vec<ConfigProblem>), WorkspaceError> {
        let spec = self.hosts.get(id)?;
        self.view_of(spec)
    }

    /// Makes the view of every host in its default edition.
    pub fn views(&self) -> Result<Vec<View>, WorkspaceError> {
        self.hosts.all().map(|spec| Ok(self.view_of(spec)?.0)).collect()
    }

    /// Looks for the program of every host on this machine and in this project; returns the view of each that is there.
    pub fn detected_hosts(&self) -> Result<Vec<DetectedHost>, WorkspaceError> {
        let mut all = Vec::new();
        for spec in self.hosts.all() {
            let host = spec.host()?;
            let around = self.surroundings(&host.project);
            let found = detect_host(&host, &around);
            if !found.is_empty() {
                let (view, problems) = self.view_in(spec, &host, around)?;
                all.push(DetectedHost { installation: found, view, problems });
            }
        }
        Ok(all)
    }

    fn view_of(&self, spec: HostSpec) -> Result<(View, Vec<ConfigProblem>), WorkspaceError> {
        let host = spec.host()?;
        let around = self.surroundings(&host.project);
        self.view_in(spec, &host, around)
    }

    fn view_in(
        &self,
        spec: HostSpec,
        host: &Host,
        around: Surroundings,
    ) -> Result<(View, Vec<ConfigProblem>), WorkspaceError> {
        let (settings, mut problems) = read_settings(&spec, host, &around, &self.config);
        let mut view = View::new(spec, settings, Arc::new(around))?;
        // A setting may say what marks a project, and so where it begins.
        if view.host.project != host.project {
            let around = self.surroundings(&view.host.project);
            view = View::new(view.spec, view.settings, Arc::new(around))?;
        }
        view.roots.retain(|root| match refused(root) {
            None => true,
            Some((diagnostic, keep)) => {
                problems.push(ConfigProblem { path: Some(root.path.clone()), diagnostic });
                keep
            }
        });
        view.rules = self.listing_rules(&view.host)?;
        Ok((view, problems))
    }

    fn surroundings(&self, rules: &ProjectRules) -> Surroundings {
        let cwd = &self.environment.cwd;
        let whole = |path: &PathBuf| {
            let joined = cwd.join(path);
            std::fs::canonicalize(&joined).unwrap_or(joined)
        };
        Surroundings {
            cwd: cwd.clone(),
            project: find_project(cwd, self.environment.home.as_deref(), rules),
            home: self.environment.home.clone(),
            variables: self.environment.variables.clone(),
            added: self.options.added.iter().map(whole).collect(),
            touched: self.options.touched.iter().map(whole).collect(),
            trusted: self.config.trusts(&self.project),
        }
    }
}

/// Reports settings under `[hosts]` that no host has.
fn unknown_settings(config: &Config, hosts: &Hosts) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for layer in &config.layers {
        let Some(toml::Value::Table(tables)) = layer.document.get("hosts") else { continue };
        for (name, table) in tables {
            let Ok(host) = hosts.get(name).and_then(|spec| spec.host()) else {
                problems.push(ConfigProblem { path: layer.path.clone(), diagnostic: unknown_host(hosts, name) });
                continue;
            };
            let known: Vec<String> = host.settings.keys().cloned().collect();
            let keys = table.as_table().into_iter().flat_map(toml::Table::keys);
            for key in keys.filter(|key| !known.contains(key)) {
                let message = format!("there is no setting `hosts.{name}.{key}`");
                let help = match near(key, known.iter().map(String::as_str)).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("`openoxide roots --host {name}` lists the settings"),
                };
                let diagnostic = Diagnostic::warning(Code::ConfigUnknownKey, message).help(help);
                problems.push(ConfigProblem { path: layer.path.clone(), diagnostic });
            }
        }
    }
    problems
}

fn unknown_host(hosts: &Hosts, name: &str) -> Diagnostic {
    let help = match near(name, hosts.names()).first() {
        Some(near) => format!("did you mean `hosts.{near}`?"),
        None => "`openoxide hosts` lists the hosts".to_owned(),
    };
    Diagnostic::warning(Code::ConfigUnknownKey, format!("`hosts.{name}` is for a host that is not there")).help(help)
}

/// Refuses roots that would search the whole machine; reports those that somebody named but that are not there.
fn refused(root: &Root) -> Option<(Diagnostic, bool)> {
    let path = &root.path;
    if path.parent().is_none() {
        let message = "the whole filesystem is not searched for skills";
        return Some((
            Diagnostic::warning(Code::RootRefused, message).help("name the folder that holds the skills"),
            false,
        ));
    }
    if root.named && !path.is_dir() {
        let message = format!("there is no folder `{}`", path.display());
        return Some((Diagnostic::warning(Code::RootRefused, message).help("mend the path, or remove it"), true));
    }
    None
}

fn host_problem(error: &HostError) -> ConfigProblem {
    let path = match error {
        HostError::Invalid { path, .. } | HostError::Unreadable { path, .. } => Some(path.clone()),
        _ => None,
    };
    let message = match error {
        HostError::Invalid { message, .. } => format!("the host is not usable: {}", message.trim_end()),
        other => other.to_string(),
    };
    ConfigProblem {
        path,
        diagnostic: Diagnostic::warning(Code::HostInvalid, message)
            .help("mend the file; the host is left out until then"),
    }
}

/// The longest path that a system opens, in bytes.
const PATH_MAX: usize = 4096;

/// Tells whether a path could be that of a folder some day.
fn could_be(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.len() < PATH_MAX && !bytes.contains(&0)
}

/// Returns where a path leads once what is missing of it is there: what exists is followed, the rest is taken as it is.
fn expected(path: &Path) -> PathBuf {
    let real =
        path.ancestors().find_map(|above| Some((std::fs::canonicalize(above).ok()?, path.strip_prefix(above).ok()?)));
    let (mut whole, rest) = real.unwrap_or_else(|| (PathBuf::new(), path));
    for part in rest.components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use openoxide_permissions::{Action, decide};

    use super::*;
    use crate::trust::RememberedAnswer as Answer;

    /// The order of rules, and what an answer for good changes.
    #[test]
    fn built_in_then_host_then_user_then_agent() {
        let dir = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(dir.path()).unwrap();
        fs_err::create_dir_all(home.join(".openoxide")).unwrap();
        fs_err::create_dir_all(home.join(".config/opencode")).unwrap();
        let theirs = "{\"permission\": {\"*\": \"allow\", \"skill\": {\"a\": \"deny\"}}}";
        fs_err::write(home.join(".config/opencode/opencode.json"), theirs).unwrap();
        let ours = "[permission]\nscript = \"deny\"\n[agents.x.permission.skill]\nb = \"deny\"\n";
        fs_err::write(home.join(".openoxide/config.toml"), ours).unwrap();
        let environment = Environment {
            cwd: home.clone(),
            home: Some(home.clone()),
            admin: home.join("admin"),
            ..Environment::default()
        };
        let mut trust = crate::trust::Trust::open(&environment);
        let mut always = |permission: &str, pattern: &str, agent: Option<&str>| {
            let (permission, pattern) = (permission.to_owned(), pattern.to_owned());
            let at = crate::trust::Timestamp::from(std::time::UNIX_EPOCH);
            trust.remember(Answer { permission, pattern, agent: agent.map(str::to_owned), at }).unwrap();
        };
        always("shell", "ls *", None);
        always("script", "a/b", None);
        always("mcp", "files", Some("y"));
        let options = WorkspaceOptions { agent: Some("x".to_owned()), ..WorkspaceOptions::default() };
        let workspace = Workspace::open(environment, options).unwrap();
        let (view, _) = workspace.view("opencode").unwrap();
        let (rules, remembered) = (workspace.rules(&view).unwrap(), workspace.remembered());
        let decided = |permission, subject: &str| decide(&rules, &remembered, permission, subject).action;
        assert_eq!(decided(Permission::Skill, "a"), Action::Deny, "the host's");
        assert_eq!(decided(Permission::Skill, "b"), Action::Deny, "the agent's");
        assert_eq!(decided(Permission::Skill, "c"), Action::Allow, "built in");
        assert_eq!(decided(Permission::Script, "a/b"), Action::Deny, "the user's, whatever was answered");
        assert_eq!(decided(Permission::Hook, "ls"), Action::Ask, "a program's settings give no power here");
        assert_eq!(decided(Permission::Shell, "ls *"), Action::Allow, "answered before");
        assert_eq!(decided(Permission::Shell, "ls /"), Action::Ask, "and no pattern");
        assert_eq!(decided(Permission::Mcp, "files"), Action::Ask, "answered for another agent");
    }
}
