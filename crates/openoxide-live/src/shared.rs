//! What the faces of a [`Live`](crate::Live) and its thread share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use openoxide_config::Environment;

use crate::hit::Hit;
use crate::keep::{Keeper, Slot};
use crate::live::LiveOptions;
use crate::once::Once;
use crate::pin::Pins;
use crate::place::Place;
use crate::round::{Done, Inbox, Message};
use crate::snapshot::{LiveError, Snapshot};
use crate::tell::Teller;
use crate::watch::Registry;

/// What the faces of a live catalog and its thread share.
pub(crate) struct Shared {
    pub(crate) environment: Environment,
    pub(crate) options: LiveOptions,
    pub(crate) inbox: Inbox,
    pub(crate) teller: Teller,
    pub(crate) pins: Arc<Pins>,
    /// Says that places are looked at again and again.
    pub(crate) once: Once,
    slots: Mutex<HashMap<Place, Arc<Slot>>>,
    registry: Mutex<Registry>,
    /// Places that cannot be watched, and why.
    polling: Mutex<HashMap<u64, String>>,
    ids: AtomicU64,
    ticks: AtomicU64,
}

impl Shared {
    pub(crate) fn new(environment: Environment, options: LiveOptions, inbox: Inbox, registry: Registry) -> Shared {
        Shared {
            environment,
            options,
            inbox,
            teller: Teller::default(),
            pins: Arc::default(),
            once: Once::default(),
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

    /// Returns why some place cannot be watched.
    pub(crate) fn why_polling(&self) -> Option<String> {
        let polling = self.polling.lock().unwrap_or_else(PoisonError::into_inner);
        polling.iter().min_by_key(|(place, _)| **place).map(|(_, why)| why.clone())
    }

    /// Returns what a place is like now; the first time, that takes a search.
    pub(crate) fn snapshot(&self, place: &Place) -> Result<Arc<Snapshot>, LiveError> {
        let slot = self.slot(place);
        if let Some(snapshot) = slot.snapshot() {
            return Ok(snapshot);
        }
        let mut keeper = slot.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.snapshot() {
            // Somebody else looked in the meantime.
            Some(snapshot) => Ok(snapshot),
            None => self.look_wholly(&slot, &mut keeper),
        }
    }

    /// Returns what a place is like now, if that is known without a search.
    pub(crate) fn cached(&self, place: &Place) -> Option<Arc<Snapshot>> {
        let slot = self.slots().get(place).map(Arc::clone)?;
        slot.use_at(self.ticks.fetch_add(1, Ordering::Relaxed));
        slot.snapshot()
    }

    /// Looks at a place again, whatever was noticed.
    pub(crate) fn reload(&self, place: &Place) -> Result<Arc<Snapshot>, LiveError> {
        let slot = self.slot(place);
        let mut keeper = slot.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        self.look_wholly(&slot, &mut keeper)
    }

    fn look_wholly(&self, slot: &Arc<Slot>, keeper: &mut Keeper) -> Result<Arc<Snapshot>, LiveError> {
        let hit = Hit::all();
        let snapshot = self.look(slot, keeper, &hit);
        match &snapshot {
            Ok(_) => self.inbox.send(Message::Watch(slot.id, hit)),
            Err(_) if !keeper.was_looked_at() => self.remove(&slot.place),
            Err(_) => {}
        }
        snapshot
    }

    /// Looks at a place, and tells what is new.
    fn look(&self, slot: &Slot, keeper: &mut Keeper, hit: &Hit) -> Result<Arc<Snapshot>, LiveError> {
        let looked = match keeper.look(&self.environment, &slot.place, hit) {
            Ok(looked) => looked,
            Err(error) => {
                slot.set(None);
                return Err(error);
            }
        };
        slot.set(Some(Arc::clone(&looked.snapshot)));
        if let Some((before, change)) = &looked.news {
            self.teller.tell(before, change);
        }
        Ok(looked.snapshot)
    }

    /// Finds a place, or makes room for it.
    fn slot(&self, place: &Place) -> Arc<Slot> {
        let tick = self.ticks.fetch_add(1, Ordering::Relaxed);
        let mut slots = self.slots();
        if let Some(slot) = slots.get(place) {
            slot.use_at(tick);
            return Arc::clone(slot);
        }
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let slot = Arc::new(Slot::new(id, place.clone(), self.options.pause));
        slot.use_at(tick);
        self.registry().enter(id);
        slots.insert(place.clone(), Arc::clone(&slot));
        while slots.len() > self.options.places.max(1) {
            let may_go = |other: &&Arc<Slot>| other.id != id && !self.pins.holds(&other.place);
            let oldest = slots.values().filter(may_go).min_by_key(|slot| slot.used()).map(|slot| slot.place.clone());
            let Some(oldest) = oldest else { break };
            if let Some(old) = slots.remove(&oldest) {
                self.leave(old.id);
            }
        }
        slot
    }

    fn remove(&self, place: &Place) {
        if let Some(slot) = self.slots().remove(place) {
            self.leave(slot.id);
        }
    }

    fn leave(&self, id: u64) {
        self.registry().leave(id);
        self.polling.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        self.inbox.send(Message::Leave(id));
    }

    /// Looks at a place because of what happened, and watches what has to be watched then.
    pub(crate) fn turn(&self, id: u64, look: Option<Hit>, watch: Option<Hit>) -> Done {
        let slot = self.slots().values().find(|slot| slot.id == id).cloned();
        let Some(slot) = slot else { return Done { place: id, ..Done::default() } };
        let mut done = Done { place: id, looked: look.is_some(), ..Done::default() };
        let mut keeper = slot.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        // A host that looks once is looked at again only when somebody asks for that; if what was found then is in doubt,
        // that look has not ended.
        let look = look.filter(|_| !keeper.looks_once() || keeper.is_in_doubt());
        if let Some(hit) = &look {
            // An error is whoever's who asks next; coming back is noticed, because what was watched still is.
            drop(self.look(&slot, &mut keeper, hit));
        }
        done.took = start.elapsed();
        done.doubt = keeper.is_in_doubt();
        let mut hit = look.unwrap_or_default();
        hit.join(watch.unwrap_or_default());
        self.watch(&mut keeper, &hit, &mut done);
        drop(keeper);
        if done.polls
            && let Some(why) = self.why_polling()
        {
            self.once.say(&why);
        }
        done
    }

    fn watch(&self, keeper: &mut Keeper, hit: &Hit, done: &mut Done) {
        let is_lost = self.registry().is_lost(done.place) || !hit.moved.is_empty();
        let needs = match keeper.needs(hit) {
            Some(_) => keeper.known_needs(),
            None if is_lost => keeper.known_needs(),
            None => {
                done.polls = self.is_polling(done.place);
                return;
            }
        };
        match self.registry().set(done.place, needs, hit) {
            Ok(new) => {
                self.polling.lock().unwrap_or_else(PoisonError::into_inner).remove(&done.place);
                done.before = (!new.is_empty()).then(|| Hit::before(new));
            }
            Err(why) => {
                self.note_polling(done.place, why);
                done.polls = true;
            }
        }
    }

    pub(crate) fn note_polling(&self, place: u64, why: String) {
        self.polling.lock().unwrap_or_else(PoisonError::into_inner).insert(place, why);
    }

    pub(crate) fn is_polling(&self, place: u64) -> bool {
        self.polling.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&place)
    }
}
