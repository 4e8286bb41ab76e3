//! What a place is like at one moment: settings, view, catalog, and the runtime on top of them.

use std::sync::Arc;

use openoxide_config::{ConfigProblem, Environment, Workspace, WorkspaceError};
use openoxide_permissions::RuleError;
use openoxide_runtime::Runtime;
use openoxide_skills::{Catalog, Depth, Problem, View, load};

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

impl State {
    /// Looks at a place.
    pub(crate) fn look(environment: &Environment, place: &Place, version: u64) -> Result<State, LiveError> {
        let workspace = Workspace::open(environment.clone(), place.options())?;
        let host = place.host.clone().unwrap_or_else(|| workspace.default_host());
        let (view, host_problems) = workspace.view(&host)?;
        let problems: Vec<ConfigProblem> = workspace.config.problems.iter().cloned().chain(host_problems).collect();
        let mut catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
        catalog.problems.splice(0..0, problems.iter().map(as_finding));
        let catalog = Arc::new(catalog);
        let runtime = Runtime::new(&workspace, view.clone(), Arc::clone(&catalog)).map(Arc::new);
        Ok(State { place: place.clone(), version, workspace, view, catalog, problems, runtime })
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
