//! Tells subscribers what changed, each from a thread of its own: one that is slow or panics holds nobody up.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::change::Change;
use crate::snapshot::Snapshot;

/// Is told of changes until it is dropped.
pub struct Subscription {
    subscriber: Arc<Subscriber>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.subscriber.end();
    }
}

/// Everybody who wants to be told.
#[derive(Default)]
pub(crate) struct Teller {
    subscribers: Mutex<Vec<Told>>,
}

/// One who wants to be told, and the thread that does it.
type Told = (Arc<Subscriber>, Option<JoinHandle<()>>);

/// One who wants to be told, and what is to be said.
#[derive(Default)]
struct Subscriber {
    queue: Mutex<Queue>,
    bell: Condvar,
}

#[derive(Default)]
struct Queue {
    /// At most one for each place, so that whoever is slow misses steps in between and nothing else.
    news: Vec<(Arc<Snapshot>, Change)>,
    ended: bool,
}

impl Teller {
    pub(crate) fn subscribe(&self, tell: impl Fn(&Change) + Send + Sync + 'static) -> Subscription {
        let subscriber = Arc::new(Subscriber::default());
        let own = Arc::clone(&subscriber);
        let thread = std::thread::Builder::new().name("openoxide-tell".to_owned()).spawn(move || own.run(&tell)).ok();
        let mut all = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(subscriber, thread)| !(subscriber.ended() && thread.as_ref().is_none_or(JoinHandle::is_finished)));
        all.push((Arc::clone(&subscriber), thread));
        Subscription { subscriber }
    }

    /// Says what is new, and waits for nobody.
    pub(crate) fn tell(&self, before: &Arc<Snapshot>, change: &Change) {
        let all = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        for (subscriber, _) in all.iter() {
            subscriber.push(before, change);
        }
    }

    /// Ends all telling, and waits until nobody is being told any more.
    pub(crate) fn end(&self) {
        let all = std::mem::take(&mut *self.subscribers.lock().unwrap_or_else(PoisonError::into_inner));
        for (subscriber, _) in &all {
            subscriber.end();
        }
        let own = std::thread::current().id();
        for thread in all.into_iter().filter_map(|(_, thread)| thread).filter(|thread| thread.thread().id() != own) {
            drop(thread.join());
        }
    }
}

impl Subscriber {
    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ended(&self) -> bool {
        self.queue().ended
    }

    fn end(&self) {
        self.queue().ended = true;
        self.bell.notify_all();
    }

    fn push(&self, before: &Arc<Snapshot>, change: &Change) {
        let mut queue = self.queue();
        if queue.ended {
            return;
        }
        match queue.news.iter_mut().find(|(known, _)| known.place == before.place) {
            Some((known, waiting)) => *waiting = Change::between(known, &change.snapshot),
            None => queue.news.push((Arc::clone(before), change.clone())),
        }
        drop(queue);
        self.bell.notify_one();
    }

    fn run(&self, tell: &dyn Fn(&Change)) {
        loop {
            let mut queue = self.queue();
            while queue.news.is_empty() && !queue.ended {
                queue = self.bell.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            if queue.ended {
                return;
            }
            let (_, change) = queue.news.remove(0);
            drop(queue);
            // Whoever panics has missed this change, and is told of the next.
            drop(std::panic::catch_unwind(AssertUnwindSafe(|| tell(&change))));
        }
    }
}
