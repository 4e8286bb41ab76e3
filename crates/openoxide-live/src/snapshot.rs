//! A place as of one moment: its settings, the host's view, the catalog, and the runtime on top of them.

use std::sync::{Arc, OnceLock};

use openoxide_config::{ConfigProblem, Environment, Place, Workspace, WorkspaceError};
use openoxide_permissions::RuleError;
use openoxide_runtime::Runtime;
use openoxide_skills::catalog::{Catalog, Depth, Problem, View, load};

/// A place as of one moment. A snapshot never changes.
pub struct Snapshot {
    /// The place.
    pub place: Place,
    /// Grows with every snapshot of the place.
    pub version: u64,
    /// The project and its settings.
    pub workspace: Workspace,
    /// The host's view.
    pub view: Arc<View>,
    /// What the host sees. Problems with settings are among its problems.
    pub catalog: Arc<Catalog>,
    /// Problems with settings.
    pub problems: Vec<ConfigProblem>,
    /// Made when first asked for: most one-shot commands never need it.
    runtime: OnceLock<Result<Arc<Runtime>, RuleError>>,
    /// The same with fewer skills, made when first asked for.
    narrowed: OnceLock<Arc<Snapshot>>,
    is_narrowed: bool,
}

impl Snapshot {
    /// Reads a place once, without watching it and without starting a thread.
    pub fn open(environment: &Environment, place: &Place, depth: Depth) -> Result<Snapshot, WorkspaceError> {
        Ok(PlaceSettings::open(environment, place)?.search(place, depth))
    }

    /// Makes a snapshot from settings and from what a search with these settings found.
    pub(crate) fn new(place: &Place, version: u64, settings: PlaceSettings, catalog: Catalog) -> Snapshot {
        let PlaceSettings { workspace, view, problems } = settings;
        let (place, catalog, runtime) = (place.clone(), Arc::new(catalog), OnceLock::new());
        let (narrowed, is_narrowed) = (OnceLock::new(), false);
        Snapshot { place, version, workspace, view, catalog, problems, runtime, narrowed, is_narrowed }
    }

    /// Returns the settings that it was made with.
    pub fn settings(&self) -> PlaceSettings {
        let (workspace, view) = (self.workspace.clone(), Arc::clone(&self.view));
        PlaceSettings { workspace, view, problems: self.problems.clone() }
    }

    /// Returns a snapshot of the same moment with another catalog and other problems with settings, which `narrow` makes
    /// once.
    pub fn narrowed(&self, narrow: impl FnOnce() -> (Catalog, Vec<ConfigProblem>)) -> &Arc<Snapshot> {
        self.narrowed.get_or_init(|| {
            let (catalog, problems) = narrow();
            let settings = PlaceSettings { problems, ..self.settings() };
            let narrowed = Snapshot::new(&self.place, self.version, settings, catalog);
            Arc::new(Snapshot { is_narrowed: true, ..narrowed })
        })
    }

    /// Returns the narrowed snapshot, if it was made.
    pub fn narrowed_already(&self) -> Option<&Arc<Snapshot>> {
        self.narrowed.get()
    }

    /// Tells whether skills were left out.
    pub fn is_narrowed(&self) -> bool {
        self.is_narrowed
    }

    /// Returns the runtime that skills are called with, or an error if a permission rule cannot be read: the rule may be
    /// one that denies.
    pub fn runtime(&self) -> Result<&Arc<Runtime>, &RuleError> {
        let make = || Runtime::new(&self.workspace, Arc::clone(&self.view), Arc::clone(&self.catalog)).map(Arc::new);
        self.runtime.get_or_init(make).as_ref()
    }
}

/// The settings of a place and the view that they make, before skills are searched for.
#[derive(Clone)]
pub struct PlaceSettings {
    /// The project and its settings.
    pub workspace: Workspace,
    /// The host's view.
    pub view: Arc<View>,
    /// Problems with settings: those of the project and the user, then those of the host's own files.
    pub problems: Vec<ConfigProblem>,
}

impl PlaceSettings {
    /// Reads the settings of a place.
    pub fn open(environment: &Environment, place: &Place) -> Result<PlaceSettings, WorkspaceError> {
        let workspace = Workspace::open(environment.clone(), place.clone())?;
        PlaceSettings::of_workspace(workspace, place)
    }

    /// Makes the view of a place whose workspace is open already.
    pub fn of_workspace(workspace: Workspace, place: &Place) -> Result<PlaceSettings, WorkspaceError> {
        let host = place.host.clone().unwrap_or_else(|| workspace.default_host());
        let (view, host_problems) = workspace.view(&host)?;
        let problems = workspace.config.problems.iter().cloned().chain(host_problems).collect();
        Ok(PlaceSettings { workspace, view: Arc::new(view), problems })
    }

    /// Searches for skills with these settings.
    pub fn search(self, place: &Place, depth: Depth) -> Snapshot {
        let mut catalog = load(std::slice::from_ref(&*self.view), depth).remove(0);
        self.report(&mut catalog);
        Snapshot::new(place, 1, self, catalog)
    }

    /// Returns whether both print the same. Comparing the text is enough, because it holds every value that matters.
    pub(crate) fn is_same(&self, other: &PlaceSettings) -> bool {
        let printed = |settings: &PlaceSettings| {
            let workspace = &settings.workspace;
            format!("{:?} {:?} {:?}", workspace.config, settings.view, settings.problems)
        };
        self.workspace.project == other.workspace.project && printed(self) == printed(other)
    }

    /// Puts the problems with settings before the problems that a search found.
    pub(crate) fn report(&self, catalog: &mut Catalog) {
        catalog.problems.splice(0..0, self.problems.iter().map(as_catalog_problem));
    }
}

fn as_catalog_problem(problem: &ConfigProblem) -> Problem {
    let path = problem.path.clone().unwrap_or_else(|| "--config".into());
    Problem { path, diagnostic: problem.diagnostic.clone() }
}
