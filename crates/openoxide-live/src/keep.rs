//! One place: its snapshot, and what it takes to make the next one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use openoxide_config::{Environment, WatchPaths};
use openoxide_skills::{Changes, Depth, IncrementalLoader, Refresh};

use crate::change::{Change, is_same_catalog};
use crate::hit::Hit;
use crate::place::Place;
use crate::snapshot::{LiveError, PlaceSettings, Snapshot};
use crate::watch::Needs;

/// One place.
pub(crate) struct Slot {
    pub(crate) id: u64,
    pub(crate) place: Place,
    snapshot: RwLock<Option<Arc<Snapshot>>>,
    /// Whoever holds it looks; everybody else waits for what that finds.
    pub(crate) keeper: Mutex<Keeper>,
    used: AtomicU64,
}

impl Slot {
    pub(crate) fn new(id: u64, place: Place, patience: Duration) -> Slot {
        let memory = IncrementalLoader::new(patience);
        let keeper = Keeper { memory, settings: None, last: None, needs: Needs::default(), needed: 0, behind: false };
        Slot { id, place, snapshot: RwLock::new(None), keeper: Mutex::new(keeper), used: AtomicU64::new(0) }
    }

    /// Returns what the place is like, if that is known.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, snapshot: Option<Arc<Snapshot>>) {
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }

    pub(crate) fn use_at(&self, tick: u64) {
        self.used.store(tick, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

/// What it takes to make the next snapshot.
pub(crate) struct Keeper {
    memory: IncrementalLoader,
    settings: Option<PlaceSettings>,
    last: Option<Arc<Snapshot>>,
    needs: Needs,
    /// The revision of the memory that the needs were made for.
    needed: u64,
    /// Whether something happened that no look has seen yet, because settings could not be read.
    behind: bool,
}

/// What a look found.
pub(crate) struct Looked {
    pub(crate) snapshot: Arc<Snapshot>,
    /// What is new, and the snapshot before; nothing if all is as it was.
    pub(crate) news: Option<(Arc<Snapshot>, Change)>,
}

impl Keeper {
    /// Looks at the place, as far as something happened to it.
    pub(crate) fn look(&mut self, environment: &Environment, place: &Place, hit: &Hit) -> Result<Looked, LiveError> {
        let was_behind = std::mem::replace(&mut self.behind, true);
        let mut is_same = self.read_settings(environment, place, hit)?;
        self.behind = false;
        let Some(settings) = &self.settings else { unreachable!("they were read, or it was an error") };
        let touched = if was_behind { Changes::Everything } else { hit.touched() };
        let mut catalog = self.memory.load(std::slice::from_ref(&settings.view), Depth::Quick, &touched).remove(0);
        settings.report(&mut catalog);
        is_same &= self.last.as_ref().is_some_and(|last| is_same_catalog(&last.catalog, &catalog));
        if let Some(last) = self.last.as_ref().filter(|_| is_same) {
            return Ok(Looked { snapshot: Arc::clone(last), news: None });
        }
        let version = self.last.as_ref().map_or(1, |last| last.version + 1);
        let snapshot = Arc::new(Snapshot::new(place, version, settings.clone(), catalog));
        let before = self.last.replace(Arc::clone(&snapshot));
        let news = before.map(|before| {
            let change = Change::between(&before, &snapshot);
            (before, change)
        });
        Ok(Looked { snapshot, news })
    }

    /// Reads the settings, if something happened to them; tells whether they are as before.
    fn read_settings(&mut self, environment: &Environment, place: &Place, hit: &Hit) -> Result<bool, LiveError> {
        if !hit.settings && self.settings.is_some() {
            return Ok(true);
        }
        let before = self.settings.take();
        let settings = PlaceSettings::open(environment, place)?;
        let is_same = before.is_some_and(|before| before.is_same(&settings));
        self.settings = Some(settings);
        Ok(is_same)
    }

    /// Returns what has to be watched, if that may be something else than before.
    pub(crate) fn needs(&mut self, hit: &Hit) -> Option<&Needs> {
        let settings = self.settings.as_ref()?;
        if settings.view.host.list.refresh == Refresh::Start {
            self.needs = Needs::default();
            return Some(&self.needs);
        }
        if self.memory.revision() == self.needed && !hit.settings && !hit.ways && !hit.everything {
            return None;
        }
        let mut needs = Needs::default();
        let WatchPaths { paths, folders } = settings.workspace.watch_paths(&settings.view);
        for path in &paths {
            needs.way(path, true);
        }
        for folder in &folders {
            needs.everything_in(folder);
        }
        for link in self.memory.links() {
            needs.way(link, false);
        }
        for folder in self.memory.folders() {
            needs.search(folder);
        }
        self.needs = needs;
        self.needed = self.memory.revision();
        Some(&self.needs)
    }

    /// Returns what was last said to be watched.
    pub(crate) fn known_needs(&self) -> &Needs {
        &self.needs
    }

    /// Tells whether to look again soon, whatever happens.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.memory.is_in_doubt()
    }

    /// Tells whether there was ever a snapshot.
    pub(crate) fn was_looked_at(&self) -> bool {
        self.last.is_some()
    }

    /// Tells whether the host looks at its skills once.
    pub(crate) fn looks_once(&self) -> bool {
        self.settings.as_ref().is_some_and(|settings| settings.view.host.list.refresh == Refresh::Start)
    }
}
