//! What a place is like at one moment: settings, view, catalog, and the runtime on top of them.

use std::sync::Arc;

use openoxide_config::{ConfigProblem, Environment, Workspace, WorkspaceError};
use openoxide_permissions::RuleError;
use openoxide_runtime::Runtime;
use openoxide_skills::{Catalog, Problem, View};

use crate::place::Place;

/// Why a place has no state.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// It cannot be opened.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// What a place is like at one moment. It never changes.
pub struct State {
    /// The place.
    pub place: Place,
    /// Grows with every state of the place.
    pub version: u64,
    /// The project and its settings.
    pub workspace: Workspace,
    /// The host's view.
    pub view: View,
    /// What the host sees; what is wrong with settings is among its findings.
    pub catalog: Arc<Catalog>,
    /// What is wrong with settings.
    pub problems: Vec<ConfigProblem>,
    runtime: Result<Arc<Runtime>, RuleError>,
}

/// The settings of a place, and the view they make.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) workspace: Workspace,
    pub(crate) view: View,
    problems: Vec<ConfigProblem>,
}

impl Settings {
    /// Reads the settings of a place.
    pub(crate) fn read(environment: &Environment, place: &Place) -> Result<Settings, LiveError> {
        let workspace = Workspace::open(environment.clone(), place.options())?;
        let host = place.host.clone().unwrap_or_else(|| workspace.default_host());
        let (view, host_problems) = workspace.view(&host)?;
        let problems = workspace.config.problems.iter().cloned().chain(host_problems).collect();
        Ok(Settings { workspace, view, problems })
    }

    /// Tells whether they are the same, as far as that can be told by what they say of themselves.
    pub(crate) fn is_same(&self, other: &Settings) -> bool {
        let said = |settings: &Settings| {
            let workspace = &settings.workspace;
            format!("{:?} {:?} {:?}", workspace.config, settings.view, settings.problems)
        };
        self.workspace.project == other.workspace.project && said(self) == said(other)
    }

    /// Adds what is wrong with settings to what a search found.
    pub(crate) fn report(&self, catalog: &mut Catalog) {
        catalog.problems.splice(0..0, self.problems.iter().map(as_finding));
    }
}

impl State {
    /// Makes a state from settings and what a search found by them.
    pub(crate) fn new(place: &Place, version: u64, settings: &Settings, catalog: Catalog) -> State {
        let Settings { workspace, view, problems } = settings.clone();
        let catalog = Arc::new(catalog);
        let runtime = Runtime::new(&workspace, view.clone(), Arc::clone(&catalog)).map(Arc::new);
        State { place: place.clone(), version, workspace, view, catalog, problems, runtime }
    }

    /// Returns what skills are called with; an error if a permission rule cannot count, for it may be one that denies.
    pub fn runtime(&self) -> Result<&Arc<Runtime>, &RuleError> {
        self.runtime.as_ref()
    }
}

fn as_finding(problem: &ConfigProblem) -> Problem {
    let path = problem.path.clone().unwrap_or_else(|| "--config".into());
    Problem { path, diagnostic: problem.diagnostic.clone() }
}
