//! Makes the views of hosts, and detects the hosts whose program is installed.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use openoxide_skills::catalog::HostNames;
use openoxide_skills::host::{Hosts, ProjectRules};
use openoxide_skills::prelude::{Code, Diagnostic, Host, HostSpec, SkillScope, Surroundings, View};
use openoxide_skills::root::{LinkPlaces, Root, UserRoot};
use rayon::prelude::*;

use super::{Workspace, error::WorkspaceError, project_root::find_project};
use crate::host_installation::look_for;
use crate::system_skills::system_skills;
use crate::{ConfigProblem, HostInstallation, detect_host, host_settings::read_host_settings};

/// A host, and what of its program is on this machine or in the project.
#[derive(Clone, Debug)]
pub struct DetectedHost {
    /// What was found of it; nothing if it is only named.
    pub installation: HostInstallation,
    /// Its view.
    pub view: View,
    /// The problems with its own files.
    pub problems: Vec<ConfigProblem>,
}

impl Workspace {
    /// Makes the view of a host. Returns it and the problems with the host's own files.
    pub fn view(&self, id: &str) -> Result<(View, Vec<ConfigProblem>), WorkspaceError> {
        self.view_of(self.hosts.get(id)?)
    }

    /// Makes the view of every host in its default edition.
    pub fn views(&self) -> Result<Vec<View>, WorkspaceError> {
        self.hosts.all().map(|spec| Ok(self.view_of(spec)?.0)).collect()
    }

    /// Looks for every host on this machine and in this project. Returns those that were found.
    pub fn detected_hosts(&self) -> Result<Vec<DetectedHost>, WorkspaceError> {
        // What is there of one host has nothing to do with the others.
        let names: Vec<&str> = self.hosts.names().collect();
        let detected = names.par_iter().filter_map(|name| self.detected(name).transpose());
        detected.collect()
    }

    /// Looks for one host; nothing if there is no trace of it.
    fn detected(&self, name: &str) -> Result<Option<DetectedHost>, WorkspaceError> {
        let Some(traces) = self.hosts.traces(name) else { return Ok(None) };
        let around = self.surroundings(&traces.project);
        let installation = look_for(&traces.found, &traces.vars, &around);
        if installation.is_empty() {
            return Ok(None);
        }
        self.installed(self.hosts.get(name)?, installation).map(Some)
    }

    /// Looks for one of the user's agents by name: in the edition that is for its version, if none is named.
    pub(super) fn detect_mine(&self, id: &str) -> Result<DetectedHost, WorkspaceError> {
        let spec = self.hosts.get(id)?;
        let host = spec.host()?;
        let installation = detect_host(&host, &self.surroundings(&host.project));
        self.installed(spec, installation)
    }

    /// Makes the view of a host in the edition that is for the version of its program; if none is, in the default one.
    fn installed(&self, spec: HostSpec, installation: HostInstallation) -> Result<DetectedHost, WorkspaceError> {
        let version = installation.version.as_deref().filter(|_| spec.edition.is_none());
        let fitting = version.and_then(|version| spec.for_version(version));
        let (view, problems) = self.view_of(fitting.unwrap_or(spec))?;
        Ok(DetectedHost { installation, view, problems })
    }

    /// Looks for one host, and makes its view whether it is here or not.
    pub fn detect(&self, id: &str) -> Result<DetectedHost, WorkspaceError> {
        let (view, problems) = self.view(id)?;
        Ok(DetectedHost { installation: detect_host(&view.host, &view.around), view, problems })
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
        let (settings, mut problems) = read_host_settings(&spec, host, &around, &self.config);
        let mut view = View::new(spec, settings, Arc::new(around))?;
        // A setting can change the markers of a project, and so its root.
        if view.host.project != host.project {
            let around = self.surroundings(&view.host.project);
            view = View::new(view.spec, view.settings, Arc::new(around))?;
        }
        view.roots.retain(|root| match root_problem(root) {
            None => true,
            Some((diagnostic, keep)) => {
                problems.push(ConfigProblem { path: Some(root.path.clone()), diagnostic });
                keep
            }
        });
        view.rules = self.listing_rules(&view.host)?;
        // Rules that cannot be read may be about names.
        if self.rules(&view).map_or(true, |rules| rules.mean_names()) {
            view.host_names = Some(Arc::clone(self.host_names.get_or_init(|| Arc::new(HostNames::of(&self.hosts)))));
        }
        Ok((view, problems))
    }

    fn surroundings(&self, rules: &ProjectRules) -> Surroundings {
        let cwd = &self.environment.cwd;
        let absolute = |path: &PathBuf| {
            let joined = cwd.join(path);
            std::fs::canonicalize(&joined).unwrap_or(joined)
        };
        Surroundings {
            cwd: cwd.clone(),
            project: self.host_project(rules),
            home: self.environment.home.clone(),
            variables: self.environment.variables.clone(),
            // An agent that a program names loosens nothing, so that it is none of the host's.
            agent: self.place.agent.clone().filter(|_| !self.place.agent_only_restricts),
            added: self.place.added.iter().map(absolute).collect(),
            touched: self.place.touched.iter().map(absolute).collect(),
            repository: self.project.clone(),
            ceiling: self.place.project.clone(),
            trusted: self.config.trusts(&self.project),
            links: self.link_places(),
            embedded: system_skills(&self.environment).map(Arc::new),
        }
    }

    /// Returns the root of the project as a host's rules find it.
    fn host_project(&self, rules: &ProjectRules) -> PathBuf {
        let found = find_project(&self.environment.cwd, self.environment.home.as_deref(), rules);
        match &self.place.project {
            Some(fixed) if fixed.starts_with(&found) => fixed.clone(),
            _ => found,
        }
    }

    /// Returns the surroundings of the project by which links in any folder are judged, such as one that is checked.
    pub fn around(&self) -> Surroundings {
        self.surroundings(&ProjectRules::default())
    }

    /// Returns the folders that links are judged by: our own state, and the user's skill roots of every host.
    fn link_places(&self) -> LinkPlaces {
        let state = self.environment.openoxide_home().map(|home| home.join("state"));
        let around = Surroundings {
            home: self.environment.home.clone(),
            variables: self.environment.variables.clone(),
            ..Surroundings::default()
        };
        let hosts = self.hosts.clone();
        LinkPlaces::new(state, move || user_roots(&hosts, &around))
    }
}

/// Returns the folders in the user's home where some host looks for skills, whatever the project and its settings say.
fn user_roots(hosts: &Hosts, around: &Surroundings) -> Vec<UserRoot> {
    let Some(home) = &around.home else { return Vec::new() };
    let hosts: Vec<Host> = hosts.all().filter_map(|spec| spec.host().ok()).collect();
    let rules = hosts.iter().flat_map(|host| host.roots.iter().map(move |rule| (host, rule)));
    let users = rules.filter(|(_, rule)| rule.scope == SkillScope::User);
    let found = users.filter_map(|(host, rule)| {
        let flat = rule.layout.unwrap_or(host.scan.layout).is_flat();
        Some(UserRoot { path: around.expand(&rule.path, &host.vars)?, flat })
    });
    // A folder that holds the whole home is no folder of skills.
    let roots: BTreeSet<UserRoot> =
        found.filter(|root| root.path.is_absolute() && !home.starts_with(&root.path)).collect();
    roots.into_iter().collect()
}

/// Returns the problem with a root, and whether the root is kept: one that would search the whole machine is not, one
/// that the user named and that is missing is.
fn root_problem(root: &Root) -> Option<(Diagnostic, bool)> {
    let path = &root.path;
    let refused = |message: String, help| Diagnostic::warning(Code::RootRefused, message).help(help);
    if path.parent().is_none() {
        let message = "the whole filesystem is not searched for skills".to_owned();
        return Some((refused(message, "name the folder that holds the skills"), false));
    }
    let is_missing = root.named && !path.is_dir();
    let message = || format!("there is no folder `{}`", path.display());
    is_missing.then(|| (refused(message(), "fix the path, or remove it"), true))
}
