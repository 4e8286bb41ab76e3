//! Makes the views of hosts, and detects the hosts whose program is installed.

use std::path::PathBuf;
use std::sync::Arc;

use openoxide_skills::prelude::{Code, Diagnostic, Host, HostSpec, Surroundings, View};
use openoxide_skills::{host::ProjectRules, root::Root};

use super::{Workspace, error::WorkspaceError, find_project};
use crate::{ConfigProblem, HostInstallation, detect_host, host_settings::read_host_settings};

/// A host whose program, or whose files, are on this machine or in the project.
#[derive(Clone, Debug)]
pub struct DetectedHost {
    /// What was found of it.
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
        let mut detected = Vec::new();
        for spec in self.hosts.all() {
            let host = spec.host()?;
            let around = self.surroundings(&host.project);
            let installation = detect_host(&host, &around);
            if !installation.is_empty() {
                let (view, problems) = self.view_in(spec, &host, around)?;
                detected.push(DetectedHost { installation, view, problems });
            }
        }
        Ok(detected)
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
            project: find_project(cwd, self.environment.home.as_deref(), rules),
            home: self.environment.home.clone(),
            variables: self.environment.variables.clone(),
            added: self.place.added.iter().map(absolute).collect(),
            touched: self.place.touched.iter().map(absolute).collect(),
            trusted: self.config.trusts(&self.project),
        }
    }
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
    is_missing.then(|| (refused(message(), "mend the path, or remove it"), true))
}
