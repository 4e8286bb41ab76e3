//! Caches one snapshot per place. A snapshot is valid until a file or folder that it was made from changes.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use openoxide_config::{Environment, Place, SettingsStamps, WorkspaceError};

use crate::message::{Message, Outcome};
use crate::{
    LiveOptions, Snapshot, dirty::Dirty, loader::Loader, mailbox::Mailbox, pin::Pins, subscribers::Subscribers,
    watch::Registry,
};

type PollingCallback = Box<dyn Fn(&str) + Send + Sync>;

/// The snapshots of all places, shared by the handles and the event loop.
pub(crate) struct SnapshotCache {
    pub(crate) environment: Environment,
    pub(crate) options: LiveOptions,
    pub(crate) mailbox: Mailbox<Message>,
    pub(crate) subscribers: Subscribers,
    pub(crate) pins: Arc<Pins>,
    /// Reports once that places are polled.
    polling_notice: Mutex<Option<PollingCallback>>,
    slots: Mutex<HashMap<Place, Arc<Slot>>>,
    registry: Mutex<Registry>,
    /// The places that cannot be watched, each with the reason.
    polling: Mutex<HashMap<u64, String>>,
    ids: AtomicU64,
    ticks: AtomicU64,
}

/// One place: its current snapshot, and the loader that makes the next.
pub(crate) struct Slot {
    pub(crate) id: u64,
    place: Place,
    known: RwLock<Option<Known>>,
    /// The thread that holds the lock refreshes; the others wait for its result.
    loader: Mutex<Loader>,
    last_used: AtomicU64,
    /// How many bytes of frontmatters its snapshot keeps.
    text: AtomicUsize,
}

/// A snapshot, and the settings files as they were when they were last read for it.
#[derive(Clone)]
struct Known {
    snapshot: Arc<Snapshot>,
    stamps: Arc<SettingsStamps>,
}

impl Slot {
    fn new(id: u64, place: Place, patience: Duration) -> Slot {
        let loader = Mutex::new(Loader::new(patience));
        Slot { id, place, known: RwLock::new(None), loader, last_used: AtomicU64::new(0), text: AtomicUsize::new(0) }
    }

    fn known(&self) -> Option<Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.known().map(|known| known.snapshot)
    }

    /// Returns the snapshot, unless a settings file changed since it was read.
    fn current(&self) -> Option<Arc<Snapshot>> {
        self.known().filter(|known| known.stamps.are_current()).map(|known| known.snapshot)
    }

    fn set(&self, known: Option<Known>) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
    }

    fn use_at(&self, tick: u64) {
        self.last_used.store(tick, Ordering::Relaxed);
    }
}

impl SnapshotCache {
    pub(crate) fn new(
        environment: Environment,
        options: LiveOptions,
        mailbox: Mailbox<Message>,
        registry: Registry,
    ) -> SnapshotCache {
        SnapshotCache {
            environment,
            options,
            mailbox,
            subscribers: Subscribers::default(),
            pins: Arc::default(),
            polling_notice: Mutex::default(),
            slots: Mutex::default(),
            registry: Mutex::new(registry),
            polling: Mutex::default(),
            ids: AtomicU64::new(1),
            ticks: AtomicU64::new(1),
        }
    }

    pub(crate) fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn slots(&self) -> MutexGuard<'_, HashMap<Place, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn polling_reason(&self) -> Option<String> {
        let polling = self.polling.lock().unwrap_or_else(PoisonError::into_inner);
        polling.iter().min_by_key(|(place, _)| **place).map(|(_, reason)| reason.clone())
    }

    /// Returns the snapshot of a place. The first time, that takes a search.
    pub(crate) fn snapshot(&self, place: &Place) -> Result<Arc<Snapshot>, WorkspaceError> {
        let slot = self.slot(place);
        // A rule that denies holds from the next request on, also before the system has told of the change.
        if let Some(snapshot) = slot.current() {
            return Ok(snapshot);
        }
        let mut loader = slot.loader.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have refreshed it in the meantime.
        if let Some(snapshot) = slot.current() {
            return Ok(snapshot);
        }
        // Changed settings are read again, and the skills as far as the host looks at them again.
        let dirty = if slot.snapshot().is_some() { Dirty::of_settings() } else { Dirty::everything() };
        let snapshot = self.refresh_and_watch(&slot, &mut loader, dirty);
        self.make_room(&mut self.slots(), slot.id);
        snapshot
    }

    pub(crate) fn cached(&self, place: &Place) -> Option<Arc<Snapshot>> {
        self.known_slot(place)?.snapshot()
    }

    /// Returns the snapshot of a place if there is one and no settings file changed since it was read.
    pub(crate) fn current(&self, place: &Place) -> Option<Arc<Snapshot>> {
        self.known_slot(place)?.current()
    }

    fn known_slot(&self, place: &Place) -> Option<Arc<Slot>> {
        let slot = self.slots().get(place).map(Arc::clone)?;
        slot.use_at(self.ticks.fetch_add(1, Ordering::Relaxed));
        Some(slot)
    }

    pub(crate) fn reload(&self, place: &Place) -> Result<Arc<Snapshot>, WorkspaceError> {
        let slot = self.slot(place);
        let mut loader = slot.loader.lock().unwrap_or_else(PoisonError::into_inner);
        self.refresh_and_watch(&slot, &mut loader, Dirty::everything())
    }

    fn refresh_and_watch(
        &self,
        slot: &Arc<Slot>,
        loader: &mut Loader,
        dirty: Dirty,
    ) -> Result<Arc<Snapshot>, WorkspaceError> {
        let snapshot = self.refresh(slot, loader, &dirty);
        match &snapshot {
            Ok(_) => self.mailbox.send(Message::Watch(slot.id, dirty)),
            Err(_) if loader.last.is_none() => {
                if let Some(slot) = self.slots().remove(&slot.place) {
                    self.evict(slot.id);
                }
            }
            Err(_) => {}
        }
        snapshot
    }

    /// Refreshes a place and notifies subscribers of what changed.
    fn refresh(&self, slot: &Slot, loader: &mut Loader, dirty: &Dirty) -> Result<Arc<Snapshot>, WorkspaceError> {
        let loaded = match loader.refresh(&self.environment, &slot.place, dirty) {
            Ok(loaded) => loaded,
            Err(error) => {
                slot.set(None);
                return Err(error);
            }
        };
        slot.set(Some(Known { snapshot: Arc::clone(&loaded.snapshot), stamps: loaded.stamps }));
        slot.text.store(loaded.snapshot.catalog.text_size(), Ordering::Relaxed);
        if let Some((before, change)) = &loaded.change {
            self.subscribers.notify(before, change);
        }
        Ok(loaded.snapshot)
    }

    /// Finds the slot of a place, or makes room for it.
    fn slot(&self, place: &Place) -> Arc<Slot> {
        let tick = self.ticks.fetch_add(1, Ordering::Relaxed);
        let mut slots = self.slots();
        if let Some(slot) = slots.get(place) {
            slot.use_at(tick);
            return Arc::clone(slot);
        }
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let slot = Arc::new(Slot::new(id, place.clone(), self.options.min_interval));
        slot.use_at(tick);
        self.registry().enter(id);
        slots.insert(place.clone(), Arc::clone(&slot));
        self.make_room(&mut slots, id);
        slot
    }

    /// Removes the places that were not used for longest, until the rest is few and small enough; `id` stays.
    fn make_room(&self, slots: &mut HashMap<Place, Arc<Slot>>, id: u64) {
        let text = |slots: &HashMap<Place, Arc<Slot>>| -> usize {
            slots.values().map(|slot| slot.text.load(Ordering::Relaxed)).sum()
        };
        while slots.len() > self.options.max_places.max(1) || text(slots) > self.options.max_text {
            let may_go = |other: &&Arc<Slot>| other.id != id && !self.pins.contains(&other.place);
            let oldest = slots
                .values()
                .filter(may_go)
                .min_by_key(|slot| slot.last_used.load(Ordering::Relaxed))
                .map(|slot| slot.place.clone());
            let Some(oldest) = oldest else { break };
            if let Some(old) = slots.remove(&oldest) {
                self.evict(old.id);
            }
        }
    }

    fn evict(&self, id: u64) {
        self.registry().leave(id);
        self.polling.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        self.mailbox.send(Message::Evicted(id));
    }

    /// Takes one turn at a place: refreshes what changed, then watches what has to be watched.
    pub(crate) fn turn(&self, id: u64, changed: Option<Dirty>, watch: Option<Dirty>) -> Outcome {
        let slot = self.slots().values().find(|slot| slot.id == id).cloned();
        let Some(slot) = slot else { return Outcome { place: id, ..Outcome::default() } };
        let mut outcome = Outcome { place: id, refreshed: changed.is_some(), ..Outcome::default() };
        let mut loader = slot.loader.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        // A host that loads its skills once looks for them again only when a caller asks, and only its settings are read
        // again. If a file was in doubt then, that refresh has not ended.
        let changed = match loader.loads_once() && !loader.is_in_doubt() {
            true => changed.filter(|dirty| dirty.settings).map(|_| Dirty::of_settings()),
            false => changed,
        };
        if let Some(dirty) = &changed {
            // The client that asks next gets the error. Recovery is noticed, because the old watches stay.
            drop(self.refresh(&slot, &mut loader, dirty));
        }
        outcome.duration = start.elapsed();
        outcome.in_doubt = loader.is_in_doubt();
        let mut dirty = changed.unwrap_or_default();
        dirty.merge(watch.unwrap_or_default());
        self.watch(&mut loader, &dirty, &mut outcome);
        drop(loader);
        if outcome.polls
            && let Some(reason) = self.polling_reason()
        {
            self.report_polling(&reason);
        }
        outcome
    }

    fn watch(&self, loader: &mut Loader, dirty: &Dirty, outcome: &mut Outcome) {
        let is_lost = self.registry().is_lost(outcome.place) || !dirty.moved.is_empty();
        if !loader.update_needs(dirty) && !is_lost {
            outcome.polls = self.is_polling(outcome.place);
            return;
        }
        match self.registry().set(outcome.place, &loader.needs, dirty) {
            Ok(new) => {
                self.polling.lock().unwrap_or_else(PoisonError::into_inner).remove(&outcome.place);
                outcome.before_watching = (!new.is_empty()).then(|| Dirty::before_watching(new));
            }
            Err(reason) => {
                self.note_polling(outcome.place, reason);
                outcome.polls = true;
            }
        }
    }

    pub(crate) fn set_polling_callback(&self, callback: impl Fn(&str) + Send + Sync + 'static) {
        *self.polling_notice.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(callback));
    }

    /// Runs the callback, unless it has run before.
    pub(crate) fn report_polling(&self, reason: &str) {
        let callback = self.polling_notice.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(callback) = callback {
            // A callback that panics has run, too.
            drop(std::panic::catch_unwind(AssertUnwindSafe(|| callback(reason))));
        }
    }

    pub(crate) fn note_polling(&self, place: u64, reason: String) {
        self.polling.lock().unwrap_or_else(PoisonError::into_inner).insert(place, reason);
    }

    pub(crate) fn is_polling(&self, place: u64) -> bool {
        self.polling.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&place)
    }
}
