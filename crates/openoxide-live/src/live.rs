//! Keeps the state of every place that was asked for.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use openoxide_config::Environment;

use crate::change::Change;
use crate::hit::Hit;
use crate::pin::Pin;
use crate::place::Place;
use crate::round::{Inbox, Message, Round};
use crate::shared::Shared;
use crate::snapshot::{LiveError, Snapshot};
use crate::tell::Subscription;
use crate::watch::{Registry, Watcher};

/// How closely to watch.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// How long it must be quiet before places are looked at again.
    pub quiet: Duration,
    /// The least time between two looks at a place; in a storm also the longest until the first.
    pub pause: Duration,
    /// How often to look where watching is not possible.
    pub poll: Duration,
    /// How many places are kept; the one that was not asked for longest goes first. Those that are pinned stay.
    pub places: usize,
    /// How many folders are watched; a place that would need more is looked at again and again instead.
    pub watches: usize,
}

impl Default for LiveOptions {
    fn default() -> LiveOptions {
        LiveOptions {
            quiet: Duration::from_millis(200),
            pause: Duration::from_secs(1),
            poll: Duration::from_secs(2),
            // A client may list 256 folders at once and be told of changes in all of them.
            places: 320,
            watches: 500_000,
        }
    }
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchMode {
    /// The system tells.
    Events,
    /// By looking again and again, at some place at least.
    Polling {
        /// Why the system cannot report changes.
        reason: String,
    },
}

/// Keeps the state of every place that was asked for. It can be cloned and shared; watching ends with the last of them.
#[derive(Clone)]
pub struct Live {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    /// Why nothing at all can be watched.
    blind: Option<String>,
    round: Mutex<Option<JoinHandle<()>>>,
}

impl Live {
    /// Keeps places as they look from this environment.
    ///
    /// # Panics
    ///
    /// If the process may not have two more open files.
    pub fn new(environment: Environment, options: LiveOptions) -> Live {
        let (inbox, ear) = Inbox::new().expect("a pair of sockets can be made");
        let watcher = Watcher::new().map(Arc::new);
        let registry = Registry::new(watcher.clone(), options.watches);
        let shared = Arc::new(Shared::new(environment, options, inbox, registry));
        let round = Round::new(Arc::clone(&shared), watcher.as_ref().ok().cloned(), ear);
        let thread = std::thread::Builder::new().name("openoxide-live".to_owned()).spawn(move || round.run());
        let blind = match (&thread, watcher) {
            (Err(error), _) => Some(format!("no thread can be started: {error}")),
            (_, watcher) => watcher.err(),
        };
        Live { inner: Arc::new(Inner { shared, blind, round: Mutex::new(thread.ok()) }) }
    }

    /// Returns what a place is like now. The first time, that takes a search.
    pub fn snapshot(&self, place: &Place) -> Result<Arc<Snapshot>, LiveError> {
        self.inner.shared.snapshot(place)
    }

    /// Returns what a place is like now, if that is known without a search. This never takes long.
    pub fn cached(&self, place: &Place) -> Option<Arc<Snapshot>> {
        self.inner.shared.cached(place)
    }

    /// Looks at a place again, whatever was noticed.
    pub fn reload(&self, place: &Place) -> Result<Arc<Snapshot>, LiveError> {
        self.inner.shared.reload(place)
    }

    /// Tells of every change from now on, from a thread of its own. Whoever is slow is told less often; whoever is being
    /// told when the last `Live` is dropped is waited for.
    pub fn subscribe(&self, tell: impl Fn(&Change) + Send + Sync + 'static) -> Subscription {
        self.inner.shared.teller.subscribe(tell)
    }

    /// Keeps a place, and goes on noticing what happens there, for as long as the pin is held.
    #[must_use]
    pub fn pin(&self, place: &Place) -> Pin {
        self.inner.shared.pins.add(place)
    }

    /// Says why, once, as soon as some place has to be looked at again and again because the system cannot tell. Whoever
    /// asked before is not told any more.
    pub fn on_polling(&self, tell: impl Fn(&str) + Send + Sync + 'static) {
        self.inner.shared.once.set(tell);
        if let WatchMode::Polling { reason } = self.watch_mode() {
            self.inner.shared.once.say(&reason);
        }
    }

    /// Returns how changes are noticed.
    pub fn watch_mode(&self) -> WatchMode {
        match self.inner.blind.clone().or_else(|| self.inner.shared.why_polling()) {
            Some(reason) => WatchMode::Polling { reason },
            None => WatchMode::Events,
        }
    }

    /// Returns how many folders are watched.
    pub fn watched(&self) -> usize {
        self.inner.shared.registry().len()
    }

    /// Says that changes may have gone unnoticed: every place is soon looked at again, as when the system had too much
    /// to tell.
    pub fn suspect(&self) {
        let shared = &self.inner.shared;
        let places: Vec<u64> = shared.slots().values().map(|slot| slot.id).collect();
        for place in places {
            shared.inbox.send(Message::Look(place, Hit::all()));
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.inbox.send(Message::Stop);
        if let Some(thread) = self.round.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // What it would say to whoever joins it was said to standard error.
            drop(thread.join());
        }
        self.shared.teller.end();
    }
}
