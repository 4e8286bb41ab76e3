//! Runs the thread that receives events and has places refreshed. While nothing happens it sleeps without a timer.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::message::{Message, Outcome};
use crate::{cache::SnapshotCache, debounce::Debounce, dirty::Dirty, watch::Watcher};

/// How many places are refreshed at the same time.
const MAX_WORKERS: usize = 4;
/// Polling takes at most this fraction (one in so many) of the time.
const POLL_SHARE: u32 = 20;

pub(crate) struct EventLoop {
    cache: Arc<SnapshotCache>,
    watcher: Option<Arc<Watcher>>,
    pending: HashMap<u64, Debounce>,
    to_watch: HashMap<u64, Dirty>,
    last_refresh: HashMap<u64, Instant>,
    /// When the places that cannot be watched are refreshed next.
    polls: HashMap<u64, Instant>,
    workers: HashMap<u64, JoinHandle<()>>,
    evicted: HashSet<u64>,
    /// Callers that wait until nothing is left to do.
    idle_waiters: Vec<SyncSender<()>>,
    stopped: bool,
}

impl EventLoop {
    pub(crate) fn new(cache: Arc<SnapshotCache>, watcher: Option<Arc<Watcher>>) -> EventLoop {
        EventLoop {
            cache,
            watcher,
            pending: HashMap::new(),
            to_watch: HashMap::new(),
            last_refresh: HashMap::new(),
            polls: HashMap::new(),
            workers: HashMap::new(),
            evicted: HashSet::new(),
            idle_waiters: Vec::new(),
            stopped: false,
        }
    }

    /// Runs until it is stopped and no worker is left.
    pub(crate) fn run(mut self) {
        while !(self.stopped && self.workers.is_empty()) {
            if !self.sleep() {
                return;
            }
            self.read_events();
            for message in self.cache.mailbox.take() {
                self.receive(message);
            }
            if !self.stopped {
                self.start_due();
            }
            if self.pending.is_empty() && self.to_watch.is_empty() && self.workers.is_empty() {
                for waiter in self.idle_waiters.drain(..) {
                    // A waiter that gave up does not listen any more.
                    waiter.try_send(()).unwrap_or_default();
                }
            }
        }
    }

    /// Sleeps until something happens or a refresh is due. Returns false if it cannot sleep.
    fn sleep(&self) -> bool {
        let now = Instant::now();
        let wait = self.next_due().map(|next| next.saturating_duration_since(now));
        let wait = wait.map(|wait| Timespec {
            tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(wait.subsec_nanos()),
        });
        let mut fds = vec![PollFd::from_borrowed_fd(self.cache.mailbox.fd(), PollFlags::IN)];
        if let Some(watcher) = &self.watcher {
            fds.push(PollFd::from_borrowed_fd(watcher.fd(), PollFlags::IN));
        }
        matches!(poll(&mut fds, wait.as_ref()), Ok(_) | Err(Errno::INTR | Errno::AGAIN))
    }

    fn next_due(&self) -> Option<Instant> {
        if self.stopped || self.workers.len() >= MAX_WORKERS {
            return None;
        }
        let waiting = self.pending.iter().filter(|(place, _)| !self.workers.contains_key(place));
        let due = waiting.map(|(place, pending)| self.due(*place, pending));
        let watch = self.to_watch.keys().filter(|place| !self.workers.contains_key(place)).map(|_| Instant::now());
        let polls = self.polls.iter().filter(|(place, _)| !self.workers.contains_key(place)).map(|(_, next)| *next);
        due.chain(watch).chain(polls).min()
    }

    fn due(&self, place: u64, pending: &Debounce) -> Instant {
        let options = &self.cache.options;
        pending.due(options.debounce, options.min_interval, self.last_refresh.get(&place).copied())
    }

    /// Reads the events of the system and finds the places that they matter to.
    fn read_events(&mut self) {
        let Some(watcher) = self.watcher.clone() else { return };
        let mut dirty_places: HashMap<u64, Dirty> = HashMap::new();
        let cache = Arc::clone(&self.cache);
        let mut registry = cache.registry();
        watcher.read(|event| registry.route(&event, &mut dirty_places));
        drop(registry);
        for (place, dirty) in dirty_places {
            self.add(place, dirty);
        }
    }

    fn add(&mut self, place: u64, dirty: Dirty) {
        let now = Instant::now();
        self.pending.entry(place).or_insert_with(|| Debounce::new(now)).add(dirty, now);
    }

    fn receive(&mut self, message: Message) {
        match message {
            Message::Changed(place, dirty) => self.add(place, dirty),
            Message::Watch(place, dirty) => {
                self.last_refresh.insert(place, Instant::now());
                self.to_watch.entry(place).or_default().merge(dirty);
            }
            Message::Finished(outcome) => self.finish(outcome),
            Message::Evicted(place) => {
                self.forget(place);
                if self.workers.contains_key(&place) {
                    self.evicted.insert(place);
                }
            }
            Message::Idle(waiter) => {
                // Events that came before the message may have come after the last reading.
                self.read_events();
                self.idle_waiters.push(waiter);
            }
            Message::Stop => self.stopped = true,
        }
    }

    fn forget(&mut self, place: u64) {
        self.pending.remove(&place);
        self.to_watch.remove(&place);
        self.last_refresh.remove(&place);
        self.polls.remove(&place);
    }

    fn finish(&mut self, outcome: Outcome) {
        if let Some(thread) = self.workers.remove(&outcome.place) {
            // The message was its last act.
            drop(thread.join());
        }
        if self.evicted.remove(&outcome.place) {
            return self.forget(outcome.place);
        }
        let now = Instant::now();
        if outcome.refreshed {
            self.last_refresh.insert(outcome.place, now);
        }
        let has_panicked = outcome.panicked.is_some();
        if let Some(dirty) = outcome.panicked {
            // A refresh that panics once may panic each time, so it waits longer than the others.
            let options = &self.cache.options;
            let then = now + options.poll_interval.max(options.min_interval);
            self.add(outcome.place, dirty);
            self.pending.entry(outcome.place).or_insert_with(|| Debounce::new(now)).wait_until(then);
        }
        if outcome.polls || (has_panicked && self.cache.is_polling(outcome.place)) {
            let wait = self.cache.options.poll_interval.max(outcome.duration * POLL_SHARE);
            self.polls.insert(outcome.place, now + wait);
        } else {
            self.polls.remove(&outcome.place);
        }
        if let Some(dirty) = outcome.before_watching {
            self.add(outcome.place, dirty);
        }
        if outcome.in_doubt {
            let then = now + self.cache.options.min_interval + Duration::from_millis(20);
            let pending = self.pending.entry(outcome.place).or_insert_with(|| Debounce::new(now));
            pending.wait_until(then);
        }
    }

    /// Starts a worker for every place whose refresh is due.
    fn start_due(&mut self) {
        let now = Instant::now();
        let late: Vec<u64> = self.polls.iter().filter(|(_, next)| **next <= now).map(|(place, _)| *place).collect();
        for place in late {
            self.polls.remove(&place);
            self.add(place, Dirty::everything());
        }
        let is_due = |(place, pending): &(&u64, &Debounce)| self.due(**place, pending) <= now;
        let due: Vec<u64> = self.pending.iter().filter(is_due).map(|(place, _)| *place).collect();
        let places: HashSet<u64> = due.iter().copied().chain(self.to_watch.keys().copied()).collect();
        for place in places {
            if self.workers.len() >= MAX_WORKERS || self.workers.contains_key(&place) {
                continue;
            }
            let changed =
                due.contains(&place).then(|| self.pending.remove(&place)).flatten().map(|pending| pending.dirty);
            let watch = self.to_watch.remove(&place);
            self.start(place, changed, watch);
        }
    }

    fn start(&mut self, place: u64, changed: Option<Dirty>, watch: Option<Dirty>) {
        let cache = Arc::clone(&self.cache);
        let work = move || {
            let outcome = Outcome::of(place, changed, watch, |changed, watch| cache.turn(place, changed, watch));
            cache.mailbox.send(Message::Finished(outcome));
        };
        let thread = std::thread::Builder::new().name("openoxide-refresh".to_owned()).spawn(work);
        if let Ok(thread) = thread {
            self.workers.insert(place, thread);
        } else {
            // The system has no thread to spare; the refresh is tried again after the interval.
            self.add(place, Dirty::everything());
            self.last_refresh.insert(place, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mailbox::Mailbox;
    use crate::options::LiveOptions;
    use crate::watch::Registry;

    #[test]
    fn a_refresh_that_panics_is_tried_again_and_polling_goes_on() {
        let registry = Registry::new(Err("none".to_owned()), 10);
        let options = LiveOptions::default();
        let wait = options.poll_interval.max(options.min_interval);
        let environment = openoxide_config::Environment::default();
        let cache = Arc::new(SnapshotCache::new(environment, options, Mailbox::new().unwrap(), registry));
        cache.note_polling(7, "none".to_owned());
        let mut event_loop = EventLoop::new(cache, None);
        let mut watch = Dirty::default();
        watch.touch("/b".into(), false);
        let outcome =
            Outcome::of(7, Some(Dirty::before_watching(vec!["/a".into()])), Some(watch), |_, _| panic!("as planned"));
        let start = Instant::now();
        event_loop.receive(Message::Finished(outcome));
        let pending = &event_loop.pending[&7];
        assert!(pending.dirty.settings && !pending.dirty.everything);
        assert!(format!("{:?}", pending.dirty).contains("/b"));
        assert!(event_loop.due(7, pending) >= start + wait, "not at once");
        assert!(event_loop.polls.contains_key(&7));
    }
}
