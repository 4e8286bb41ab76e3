//! The thread that hears what happened and has places looked at. While nothing happens it sleeps without a timer.

use std::collections::{HashMap, HashSet};
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::hit::Hit;
use crate::pace::Pending;
use crate::shared::Shared;
use crate::watch::Watcher;

/// Places that are looked at at the same time.
const AT_ONCE: usize = 4;
/// Looking again and again takes no more than this part of the time.
const POLL_SHARE: u32 = 20;

/// What the thread is told.
pub(crate) enum Message {
    /// Something happened to a place.
    Look(u64, Hit),
    /// A place was looked at, and is to be watched.
    Watch(u64, Hit),
    /// A look has ended.
    Done(Done),
    /// A place is not kept any more.
    Leave(u64),
    /// There is nobody left to tell.
    Stop,
}

/// What a look leaves to be done.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) place: u64,
    pub(crate) looked: bool,
    pub(crate) took: Duration,
    /// Whether something is in doubt, so that another look is due soon.
    pub(crate) doubt: bool,
    /// Whether the place cannot be watched.
    pub(crate) polls: bool,
    /// What may have happened before it was watched.
    pub(crate) before: Option<Hit>,
    /// What was to be looked at when the look broke off.
    pub(crate) broken: Option<Hit>,
}

impl Done {
    /// Takes a turn. One that panics leaves what it was about to be looked at later.
    fn of(
        place: u64,
        look: Option<Hit>,
        watch: Option<Hit>,
        turn: impl FnOnce(Option<Hit>, Option<Hit>) -> Done,
    ) -> Done {
        let mut hit = look.clone().unwrap_or_default();
        hit.join(watch.clone().unwrap_or_default());
        let turn = std::panic::catch_unwind(AssertUnwindSafe(|| turn(look, watch)));
        turn.unwrap_or_else(|_| Done { place, looked: true, broken: Some(hit), ..Done::default() })
    }
}

/// Where messages are left.
pub(crate) struct Inbox {
    messages: Mutex<Vec<Message>>,
    bell: UnixStream,
}

impl Inbox {
    pub(crate) fn new() -> std::io::Result<(Inbox, UnixStream)> {
        let (bell, ear) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        ear.set_nonblocking(true)?;
        Ok((Inbox { messages: Mutex::default(), bell }, ear))
    }

    pub(crate) fn send(&self, message: Message) {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        // A bell that cannot be rung has been rung often enough.
        drop((&self.bell).write(&[1]));
    }

    fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The thread that hears what happened.
pub(crate) struct Round {
    shared: Arc<Shared>,
    watcher: Option<Arc<Watcher>>,
    ear: UnixStream,
    pending: HashMap<u64, Pending>,
    to_watch: HashMap<u64, Hit>,
    rested: HashMap<u64, Instant>,
    /// When places that cannot be watched are looked at again.
    polls: HashMap<u64, Instant>,
    busy: HashMap<u64, JoinHandle<()>>,
    left: HashSet<u64>,
    stopped: bool,
}

impl Round {
    pub(crate) fn new(shared: Arc<Shared>, watcher: Option<Arc<Watcher>>, ear: UnixStream) -> Round {
        Round {
            shared,
            watcher,
            ear,
            pending: HashMap::new(),
            to_watch: HashMap::new(),
            rested: HashMap::new(),
            polls: HashMap::new(),
            busy: HashMap::new(),
            left: HashSet::new(),
            stopped: false,
        }
    }

    /// Hears and sends until it is stopped and nothing is under way.
    pub(crate) fn run(mut self) {
        while !(self.stopped && self.busy.is_empty()) {
            if !self.sleep() {
                return;
            }
            self.hear();
            for message in self.shared.inbox.take() {
                self.receive(message);
            }
            if !self.stopped {
                self.send_out();
            }
        }
    }

    /// Sleeps until something happens or a look is due; false if that is not possible.
    fn sleep(&self) -> bool {
        let now = Instant::now();
        let wait = self.next().map(|next| next.saturating_duration_since(now));
        let wait = wait.map(|wait| Timespec {
            tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(wait.subsec_nanos()),
        });
        let mut fds = vec![PollFd::from_borrowed_fd(self.ear.as_fd(), PollFlags::IN)];
        if let Some(watcher) = &self.watcher {
            fds.push(PollFd::from_borrowed_fd(watcher.fd(), PollFlags::IN));
        }
        match poll(&mut fds, wait.as_ref()) {
            Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return false,
        }
        drop(fds);
        let mut bytes = [0; 64];
        while (&self.ear).read(&mut bytes).is_ok_and(|read| read == bytes.len()) {}
        true
    }

    /// Returns when the next look is due; nothing while nothing is.
    fn next(&self) -> Option<Instant> {
        if self.stopped || self.busy.len() >= AT_ONCE {
            return None;
        }
        let waiting = self.pending.iter().filter(|(place, _)| !self.busy.contains_key(place));
        let due = waiting.map(|(place, pending)| self.due(*place, pending));
        let watch = self.to_watch.keys().filter(|place| !self.busy.contains_key(place)).map(|_| Instant::now());
        let polls = self.polls.iter().filter(|(place, _)| !self.busy.contains_key(place)).map(|(_, next)| *next);
        due.chain(watch).chain(polls).min()
    }

    fn due(&self, place: u64, pending: &Pending) -> Instant {
        let options = &self.shared.options;
        pending.due(options.quiet, options.pause, self.rested.get(&place).copied())
    }

    /// Takes what the system tells, and finds the places that it matters to.
    fn hear(&mut self) {
        let Some(watcher) = self.watcher.clone() else { return };
        let mut hits: HashMap<u64, Hit> = HashMap::new();
        let shared = Arc::clone(&self.shared);
        let mut registry = shared.registry();
        watcher.read(|event| registry.route(&event, &mut hits));
        drop(registry);
        for (place, hit) in hits {
            self.add(place, hit);
        }
    }

    fn add(&mut self, place: u64, hit: Hit) {
        let now = Instant::now();
        self.pending.entry(place).or_insert_with(|| Pending::new(now)).add(hit, now);
    }

    fn receive(&mut self, message: Message) {
        match message {
            Message::Look(place, hit) => self.add(place, hit),
            Message::Watch(place, hit) => {
                self.rested.insert(place, Instant::now());
                self.to_watch.entry(place).or_default().join(hit);
            }
            Message::Done(done) => self.done(done),
            Message::Leave(place) => {
                self.forget(place);
                if self.busy.contains_key(&place) {
                    self.left.insert(place);
                }
            }
            Message::Stop => self.stopped = true,
        }
    }

    fn forget(&mut self, place: u64) {
        self.pending.remove(&place);
        self.to_watch.remove(&place);
        self.rested.remove(&place);
        self.polls.remove(&place);
    }

    fn done(&mut self, done: Done) {
        if let Some(thread) = self.busy.remove(&done.place) {
            // It said so as its last act.
            drop(thread.join());
        }
        if self.left.remove(&done.place) {
            return self.forget(done.place);
        }
        let now = Instant::now();
        if done.looked {
            self.rested.insert(done.place, now);
        }
        let is_broken = done.broken.is_some();
        if let Some(hit) = done.broken {
            // What panics once may do so each time, so it is not tried at every pause.
            let options = &self.shared.options;
            let then = now + options.poll.max(options.pause);
            self.add(done.place, hit);
            self.pending.entry(done.place).or_insert_with(|| Pending::new(now)).wait_until(then);
        }
        if done.polls || (is_broken && self.shared.is_polling(done.place)) {
            let wait = self.shared.options.poll.max(done.took * POLL_SHARE);
            self.polls.insert(done.place, now + wait);
        } else {
            self.polls.remove(&done.place);
        }
        if let Some(hit) = done.before {
            self.add(done.place, hit);
        }
        if done.doubt {
            let then = now + self.shared.options.pause + Duration::from_millis(20);
            let pending = self.pending.entry(done.place).or_insert_with(|| Pending::new(now));
            pending.wait_until(then);
        }
    }

    /// Has every place looked at whose time has come.
    fn send_out(&mut self) {
        let now = Instant::now();
        let late: Vec<u64> = self.polls.iter().filter(|(_, next)| **next <= now).map(|(place, _)| *place).collect();
        for place in late {
            self.polls.remove(&place);
            self.add(place, Hit::all());
        }
        let is_due = |(place, pending): &(&u64, &Pending)| self.due(**place, pending) <= now;
        let due: Vec<u64> = self.pending.iter().filter(is_due).map(|(place, _)| *place).collect();
        let places: HashSet<u64> = due.iter().copied().chain(self.to_watch.keys().copied()).collect();
        for place in places {
            if self.busy.len() >= AT_ONCE || self.busy.contains_key(&place) {
                continue;
            }
            let look = due.contains(&place).then(|| self.pending.remove(&place)).flatten().map(|pending| pending.hit);
            let watch = self.to_watch.remove(&place);
            self.start(place, look, watch);
        }
    }

    fn start(&mut self, place: u64, look: Option<Hit>, watch: Option<Hit>) {
        let shared = Arc::clone(&self.shared);
        let work = move || {
            let done = Done::of(place, look, watch, |look, watch| shared.turn(place, look, watch));
            shared.inbox.send(Message::Done(done));
        };
        let thread = std::thread::Builder::new().name("openoxide-look".to_owned()).spawn(work);
        if let Ok(thread) = thread {
            self.busy.insert(place, thread);
        } else {
            // No thread is to be had: it is tried again after a pause.
            self.add(place, Hit::all());
            self.rested.insert(place, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::LiveOptions;
    use crate::watch::Registry;

    #[test]
    fn a_look_that_panics_is_tried_again_and_polling_goes_on() {
        let (inbox, ear) = Inbox::new().unwrap();
        let watcher = Err("none".to_owned());
        let registry = Registry::new(watcher, 10);
        let options = LiveOptions::default();
        let wait = options.poll.max(options.pause);
        let shared = Arc::new(Shared::new(openoxide_config::Environment::default(), options, inbox, registry));
        shared.note_polling(7, "none".to_owned());
        let mut round = Round::new(shared, None, ear);
        let mut watch = Hit::default();
        watch.touch("/b".into(), false);
        let done = Done::of(7, Some(Hit::before(vec!["/a".into()])), Some(watch), |_, _| panic!("as planned"));
        let start = Instant::now();
        round.receive(Message::Done(done));
        let pending = &round.pending[&7];
        assert!(pending.hit.settings && !pending.hit.everything);
        assert!(format!("{:?}", pending.hit).contains("/b"));
        assert!(round.due(7, pending) >= start + wait, "not at once");
        assert!(round.polls.contains_key(&7));
    }
}
