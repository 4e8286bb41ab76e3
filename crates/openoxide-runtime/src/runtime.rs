//! The runtime: one host's view of a project, its catalog, and the decisions of the user.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use openoxide_config::{
    Environment, McpServer, McpTransport, PermissionPolicy, RememberedAnswer, SandboxSettings, Timestamp, Trust,
    TrustError, TrustRecord, UnpackError, Workspace, unpack_system_skills,
};
use openoxide_permissions::{Action, Approvals, Decision, Permission, RuleError, Rules, decide};
use openoxide_sandbox::Limits;
use openoxide_skills::catalog::{Catalog, Entry, View};
use openoxide_skills::host::Hosts;
use openoxide_skills::text::path_text;

use crate::Session;

/// One host's view of a project, its catalog, and what the user allows. It can be shared between conversations.
pub struct Runtime {
    view: Arc<View>,
    catalog: Arc<Catalog>,
    rules: Rules,
    agent: Option<String>,
    pub(crate) sandbox: SandboxSettings,
    pub(crate) policy: PermissionPolicy,
    pub(crate) environment: Environment,
    trust: Mutex<Option<Trust>>,
    servers: Mutex<Vec<(String, McpServer)>>,
    /// The project without links, as it was when it was opened.
    pub(crate) real_project: Option<PathBuf>,
    /// Whether the project's files may be given to commands, and attached.
    pub(crate) gives_files: bool,
    pub(crate) hosts: Hosts,
    pub(crate) names_that_hosts_obey: OnceLock<Vec<String>>,
    /// Where OpenOxide's own skills were written to, if they were.
    wrote_own_skills: OnceLock<PathBuf>,
}

impl Runtime {
    /// Makes the runtime of a workspace and one of its views; an error if a permission rule cannot be applied.
    pub fn new(workspace: &Workspace, view: impl Into<Arc<View>>, catalog: Arc<Catalog>) -> Result<Runtime, RuleError> {
        let mut view = view.into();
        let rules = workspace.rules(&view)?;
        let policy = workspace.config.permission_policy();
        // A view is large. Only settings that forbid what the host does need one of their own.
        if !policy.shell
            && view.host.shell.as_ref().is_some_and(|shell| shell.run)
            && let Some(shell) = &mut Arc::make_mut(&mut view).host.shell
        {
            shell.run = false;
        }
        let catalog = without_denied(catalog, &rules);
        let servers = workspace.config.mcp_servers().into_iter().map(|one| (one.name, one.server)).collect();
        let real_project = std::fs::canonicalize(&view.around.project).ok();
        Ok(Runtime {
            view,
            catalog,
            rules,
            agent: workspace.agent_name().map(str::to_owned),
            sandbox: workspace.config.sandbox(),
            policy,
            environment: workspace.environment.clone(),
            trust: Mutex::new(None),
            servers: Mutex::new(servers),
            real_project,
            gives_files: workspace.gives_files(),
            hosts: workspace.hosts.clone(),
            names_that_hosts_obey: OnceLock::new(),
            wrote_own_skills: OnceLock::new(),
        })
    }

    /// Returns the host's view.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns what the host sees.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Writes OpenOxide's own skills if this is one of them and its files are only in the program: they are about to be read.
    pub(crate) fn write_if_own(&self, entry: &Entry) -> Result<(), UnpackError> {
        if self.catalog.is_only_in_program(entry)
            && let Some(folder) = unpack_system_skills(&self.environment)?
        {
            // One folder: it does not matter who wrote first.
            let _ = self.wrote_own_skills.set(folder);
        }
        Ok(())
    }

    /// Returns where OpenOxide's own skills were written to, because their files were needed.
    pub fn wrote_own_skills(&self) -> Option<&Path> {
        self.wrote_own_skills.get().map(PathBuf::as_path)
    }

    /// Returns the rules that apply.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Decides whether something may happen, by the rules alone.
    pub fn decide(&self, permission: Permission, subject: &str) -> Decision {
        decide(&self.rules, &Approvals::default(), permission, subject)
    }

    /// Decides about one skill. What the user approved before is looked up only where rules ask.
    pub fn decide_about(&self, session: &Session, permission: Permission, subject: &str, skill: &str) -> Decision {
        let decision = self.decide(permission, subject);
        let remembered = decision.action == Action::Ask && self.is_approved(session, permission, subject, skill);
        if remembered { Decision { action: Action::Allow, remembered, ..decision } } else { decision }
    }

    /// Decides about a skill, or a part of it, by all the names that rules can mean it by; `subject` makes the subject of a
    /// name. What the user approved before is not asked again.
    pub(crate) fn decide_by_names(
        &self,
        session: &Session,
        permission: Permission,
        entry: &Entry,
        subject: impl Fn(&str) -> String,
    ) -> Decision {
        let decision = self.ruled_by_names(permission, entry, &subject);
        let is_approved = || self.is_approved(session, permission, &subject(&entry.skill.name), &place_of(entry));
        let remembered = decision.action == Action::Ask && is_approved();
        if remembered { Decision { action: Action::Allow, remembered, ..decision } } else { decision }
    }

    /// Decides the same by the rules alone.
    pub(crate) fn ruled_by_names(
        &self,
        permission: Permission,
        entry: &Entry,
        subject: impl Fn(&str) -> String,
    ) -> Decision {
        let rule = entry.deciding(&self.rules, permission, subject);
        Decision { action: rule.map_or(Action::Ask, |rule| rule.action), rule: rule.cloned(), remembered: false }
    }

    pub(crate) fn is_approved(&self, session: &Session, permission: Permission, subject: &str, skill: &str) -> bool {
        let always = || self.with_trust(|trust| trust.remembered(self.agent.as_deref(), skill));
        session.allows(permission, subject, skill) || always().contains(permission, subject)
    }

    /// Returns whether a rule denies calling a skill to every caller.
    pub(crate) fn denies(&self, entry: &Entry) -> bool {
        entry.denied_by(&self.rules).is_some()
    }

    /// Remembers an answer about a skill until it is revoked.
    pub(crate) fn remember(&self, permission: Permission, subject: &str, skill: &str) -> Result<(), TrustError> {
        let answer = RememberedAnswer {
            permission: permission.as_str().to_owned(),
            pattern: subject.to_owned(),
            skill: skill.to_owned(),
            agent: self.agent.clone(),
            at: Timestamp::from(SystemTime::now()),
        };
        self.with_trust(|trust| trust.add(TrustRecord::Answer(answer))).map(drop)
    }

    /// Finds the configured server that is reached in the same way; returns its name, and whether it is used.
    pub(crate) fn server_like(&self, wanted: &McpTransport) -> Option<(String, bool)> {
        let is_it = |there: &McpTransport| match (there, wanted) {
            (McpTransport::Http { url, .. }, McpTransport::Http { url: wanted, .. }) => url == wanted,
            // A skill can name a program only; whatever it is started with, it is that one.
            (McpTransport::Stdio { command, .. }, McpTransport::Stdio { command: wanted, .. }) => command == wanted,
            _ => false,
        };
        let servers = self.servers();
        let found = servers.iter().find(|(_, server)| is_it(&server.transport));
        found.map(|(name, server)| (name.clone(), server.enabled))
    }

    pub(crate) fn has_server(&self, name: &str) -> bool {
        self.servers().iter().any(|(there, _)| there == name)
    }

    pub(crate) fn note_server(&self, name: &str, server: &McpServer) {
        self.servers().push((name.to_owned(), server.clone()));
    }

    fn servers(&self) -> MutexGuard<'_, Vec<(String, McpServer)>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn limits(&self) -> Limits {
        let settings = &self.sandbox;
        Limits {
            time: settings.time,
            output: usize::try_from(settings.output).unwrap_or(usize::MAX),
            processes: u32::try_from(settings.processes).unwrap_or(u32::MAX),
            memory: settings.memory,
            file_size: settings.file_size,
        }
    }

    pub(crate) fn with_trust<T>(&self, use_it: impl FnOnce(&mut Trust) -> T) -> T {
        let mut held = self.trust.lock().unwrap_or_else(PoisonError::into_inner);
        use_it(held.get_or_insert_with(|| Trust::open(&self.environment)))
    }
}

/// Returns what tells a skill from others of its name.
pub(crate) fn place_of(entry: &Entry) -> String {
    path_text(entry.canonical())
}

/// Returns a catalog as the model is shown it: without what the rules of the user and the agent deny, whatever the host.
///
/// What the host's own rules deny, its program may show and then refuse; that is the host's way.
pub fn seen_by_model(workspace: &Workspace, catalog: Arc<Catalog>) -> Result<Arc<Catalog>, RuleError> {
    Ok(without_denied(catalog, &workspace.own_rules()?))
}

/// Keeps from the model what rules deny, also where the host's own lists do not: its name is in none that the model sees.
fn without_denied(catalog: Arc<Catalog>, rules: &Rules) -> Arc<Catalog> {
    if !catalog.skills.iter().any(|entry| entry.model && entry.denied_by(rules).is_some()) {
        return catalog;
    }
    let mut catalog = Arc::unwrap_or_clone(catalog);
    for entry in &mut catalog.skills {
        entry.model &= entry.denied_by(rules).is_none();
    }
    Arc::new(catalog)
}
