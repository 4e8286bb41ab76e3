//! The handle of a program to its live snapshots.

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use openoxide_config::{Environment, Place, WorkspaceError};

use crate::watch::{Registry, Watcher};
use crate::{
    Change, LiveOptions, Pin, Snapshot, Subscription, WatchMode, cache::SnapshotCache, dirty::Dirty,
    event_loop::EventLoop, mailbox::Mailbox, message::Message,
};

/// Keeps one current snapshot for every place that was asked for. Clones share the snapshots; watching ends when the
/// last clone is dropped.
#[derive(Clone)]
pub struct Live {
    inner: Arc<Inner>,
}

struct Inner {
    cache: Arc<SnapshotCache>,
    /// Why nothing at all can be watched.
    no_watching: Option<String>,
    event_loop: Mutex<Option<JoinHandle<()>>>,
}

impl Live {
    /// Keeps snapshots of places as they are seen from this environment.
    ///
    /// # Panics
    ///
    /// If the process may not open two more files.
    pub fn new(environment: Environment, options: LiveOptions) -> Live {
        let mailbox = Mailbox::new().expect("a pair of sockets can be made");
        let watcher = Watcher::new().map(Arc::new);
        let registry = Registry::new(watcher.clone(), options.max_watches);
        let cache = Arc::new(SnapshotCache::new(environment, options, mailbox, registry));
        let event_loop = EventLoop::new(Arc::clone(&cache), watcher.as_ref().ok().cloned());
        let thread = std::thread::Builder::new().name("openoxide-live".to_owned()).spawn(move || event_loop.run());
        let no_watching = match (&thread, watcher) {
            (Err(error), _) => Some(format!("no thread can be started: {error}")),
            (_, watcher) => watcher.err(),
        };
        Live { inner: Arc::new(Inner { cache, no_watching, event_loop: Mutex::new(thread.ok()) }) }
    }

    /// Returns the current snapshot of a place. The first time, that takes a search.
    pub fn snapshot(&self, place: &Place) -> Result<Arc<Snapshot>, WorkspaceError> {
        self.inner.cache.snapshot(place)
    }

    /// Returns the current snapshot of a place if there is one already. This never blocks on a search.
    pub fn cached(&self, place: &Place) -> Option<Arc<Snapshot>> {
        self.inner.cache.cached(place)
    }

    /// Returns the current snapshot of a place if there is one and the settings files are as they were when they were read.
    /// This never blocks on a search.
    pub fn current(&self, place: &Place) -> Option<Arc<Snapshot>> {
        self.inner.cache.current(place)
    }

    /// Searches a place again, whether or not something changed.
    pub fn reload(&self, place: &Place) -> Result<Arc<Snapshot>, WorkspaceError> {
        self.inner.cache.reload(place)
    }

    /// Calls `notify` for every change from now on, on a thread of its own. A slow subscriber misses intermediate changes.
    /// Dropping the last `Live` waits for a call that is running.
    pub fn subscribe(&self, notify: impl Fn(&Change) + Send + Sync + 'static) -> Subscription {
        self.inner.cache.subscribers.subscribe(notify)
    }

    /// Keeps a place, with its watches, for as long as the pin is held.
    #[must_use]
    pub fn pin(&self, place: &Place) -> Pin {
        self.inner.cache.pins.add(place)
    }

    /// Calls `notify` once, with the reason, as soon as a place has to be polled because it cannot be watched. It replaces
    /// the callback that was set before.
    pub fn on_polling(&self, notify: impl Fn(&str) + Send + Sync + 'static) {
        self.inner.cache.set_polling_callback(notify);
        if let WatchMode::Polling { reason } = self.watch_mode() {
            self.inner.cache.report_polling(&reason);
        }
    }

    /// Returns how changes are noticed.
    pub fn watch_mode(&self) -> WatchMode {
        match self.inner.no_watching.clone().or_else(|| self.inner.cache.polling_reason()) {
            Some(reason) => WatchMode::Polling { reason },
            None => WatchMode::Events,
        }
    }

    /// Returns how many folders are watched.
    pub fn watched(&self) -> usize {
        self.inner.cache.registry().len()
    }

    /// Waits until every change that the system has reported is in a snapshot. Returns false if that takes longer than
    /// `timeout`. Tests use it instead of sleeping.
    pub fn wait_until_idle(&self, timeout: Duration) -> bool {
        let (waiter, idle) = sync_channel(1);
        self.inner.cache.mailbox.send(Message::Idle(waiter));
        idle.recv_timeout(timeout).is_ok()
    }

    /// Has every place searched again soon, as after an overflow of the system's event queue.
    pub fn invalidate(&self) {
        let cache = &self.inner.cache;
        let places: Vec<u64> = cache.slots().values().map(|slot| slot.id).collect();
        for place in places {
            cache.mailbox.send(Message::Changed(place, Dirty::everything()));
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.cache.mailbox.send(Message::Stop);
        if let Some(thread) = self.event_loop.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // If it panicked, the message is on standard error already.
            drop(thread.join());
        }
        self.cache.subscribers.end();
    }
}
