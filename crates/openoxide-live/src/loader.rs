//! Makes the snapshots of one place: reads settings, searches again where something changed, and says what to watch.

use std::sync::Arc;
use std::time::Duration;

use openoxide_config::{Environment, Place, SettingsStamps, WatchPaths, WorkspaceError};
use openoxide_skills::catalog::{Changes, Depth, IncrementalLoader};
use openoxide_skills::host::Refresh;

use crate::{Change, PlaceSettings, Snapshot, change::is_same_catalog, dirty::Dirty, watch::Needs};

/// What the next snapshot of a place is made from.
pub(crate) struct Loader {
    catalogs: IncrementalLoader,
    settings: Option<PlaceSettings>,
    pub(crate) last: Option<Arc<Snapshot>>,
    /// What has to be watched, as of the last update.
    pub(crate) needs: Needs,
    /// The revision of the catalogs that the needs were made for.
    needs_revision: u64,
    /// Whether changes were missed because settings could not be read.
    behind: bool,
}

pub(crate) struct Loaded {
    pub(crate) snapshot: Arc<Snapshot>,
    /// The settings files as they were when they were last read. The snapshot may be older, if they say the same as before.
    pub(crate) stamps: Arc<SettingsStamps>,
    /// The snapshot before and what changed since, unless nothing did.
    pub(crate) change: Option<(Arc<Snapshot>, Change)>,
}

impl Loader {
    /// Makes a loader that trusts a broken file after `patience`.
    pub(crate) fn new(patience: Duration) -> Loader {
        let catalogs = IncrementalLoader::new(patience);
        Loader { catalogs, settings: None, last: None, needs: Needs::default(), needs_revision: 0, behind: false }
    }

    /// Makes a new snapshot if something changed, and reads only what may have changed.
    pub(crate) fn refresh(
        &mut self,
        environment: &Environment,
        place: &Place,
        dirty: &Dirty,
    ) -> Result<Loaded, WorkspaceError> {
        let was_behind = std::mem::replace(&mut self.behind, true);
        let mut is_same = self.read_settings(environment, place, dirty)?;
        self.behind = false;
        let Some(settings) = &self.settings else { unreachable!("settings were read, or reading them was an error") };
        let changes = if was_behind { Changes::Everything } else { dirty.changes() };
        let mut catalog = self.catalogs.load(std::slice::from_ref(&settings.view), Depth::Quick, &changes).remove(0);
        settings.report(&mut catalog);
        let stamps = Arc::clone(settings.workspace.settings_stamps());
        is_same &= self.last.as_ref().is_some_and(|last| is_same_catalog(&last.catalog, &catalog));
        if let Some(last) = self.last.as_ref().filter(|_| is_same) {
            return Ok(Loaded { snapshot: Arc::clone(last), stamps, change: None });
        }
        let version = self.last.as_ref().map_or(1, |last| last.version + 1);
        let snapshot = Arc::new(Snapshot::new(place, version, settings.clone(), catalog));
        let before = self.last.replace(Arc::clone(&snapshot));
        let change = before.map(|before| {
            let change = Change::between(&before, &snapshot);
            (before, change)
        });
        Ok(Loaded { snapshot, stamps, change })
    }

    /// Reads the settings if they may have changed. Returns whether they are the same as before.
    fn read_settings(
        &mut self,
        environment: &Environment,
        place: &Place,
        dirty: &Dirty,
    ) -> Result<bool, WorkspaceError> {
        if !dirty.settings && self.settings.is_some() {
            return Ok(true);
        }
        let before = self.settings.take();
        let settings = PlaceSettings::open(environment, place)?;
        let is_same = before.is_some_and(|before| before.is_same(&settings));
        self.settings = Some(settings);
        Ok(is_same)
    }

    /// Works out what has to be watched. Returns false if that cannot have changed.
    pub(crate) fn update_needs(&mut self, dirty: &Dirty) -> bool {
        let Some(settings) = &self.settings else { return false };
        let loads_once = settings.view.host.list.refresh == Refresh::Start;
        if self.catalogs.revision() == self.needs_revision && !dirty.settings && !dirty.links && !dirty.everything {
            return false;
        }
        let mut needs = Needs::default();
        let WatchPaths { paths, folders } = settings.workspace.watch_paths(&settings.view);
        for path in &paths {
            needs.watch_path(path, true);
        }
        for folder in &folders {
            needs.watch_settings(folder);
        }
        // A host that reads its skills once keeps them; what the user decides about them holds at once under every host.
        let watched = (!loads_once).then(|| self.catalogs.watched());
        for link in watched.iter().flat_map(|watched| &watched.links) {
            needs.watch_path(link, false);
        }
        for folder in watched.iter().flat_map(|watched| &watched.folders) {
            needs.watch_skills(folder);
        }
        self.needs = needs;
        self.needs_revision = self.catalogs.revision();
        true
    }

    /// Returns whether a file may be half written, so that a refresh is due soon even if nothing happens.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.catalogs.is_in_doubt()
    }

    /// Returns whether the host reads its skills only once, when it starts.
    pub(crate) fn loads_once(&self) -> bool {
        self.settings.as_ref().is_some_and(|settings| settings.view.host.list.refresh == Refresh::Start)
    }
}
