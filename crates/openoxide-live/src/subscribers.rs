//! Notifies subscribers of changes, each on a thread of its own, so that one that is slow or panics delays no other.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::{Change, Snapshot};

/// A subscription to changes. It ends when it is dropped.
pub struct Subscription {
    subscriber: Arc<Subscriber>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.subscriber.end();
    }
}

#[derive(Default)]
pub(crate) struct Subscribers {
    subscribers: Mutex<Vec<Entry>>,
}

/// A subscriber, and the thread that calls it.
type Entry = (Arc<Subscriber>, Option<JoinHandle<()>>);

/// One subscriber, and the changes that wait for it.
#[derive(Default)]
struct Subscriber {
    queue: Mutex<Queue>,
    wakeup: Condvar,
}

#[derive(Default)]
struct Queue {
    /// At most one change per place, with the snapshot before it. A slow subscriber gets several steps as one change.
    changes: Vec<(Arc<Snapshot>, Change)>,
    ended: bool,
}

impl Subscribers {
    pub(crate) fn subscribe(&self, notify: impl Fn(&Change) + Send + Sync + 'static) -> Subscription {
        let subscriber = Arc::new(Subscriber::default());
        let own = Arc::clone(&subscriber);
        let thread =
            std::thread::Builder::new().name("openoxide-notify".to_owned()).spawn(move || own.run(&notify)).ok();
        let mut all = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(subscriber, thread)| {
            !(subscriber.queue().ended && thread.as_ref().is_none_or(JoinHandle::is_finished))
        });
        all.push((Arc::clone(&subscriber), thread));
        Subscription { subscriber }
    }

    /// Queues a change for every subscriber, and does not wait.
    pub(crate) fn notify(&self, before: &Arc<Snapshot>, change: &Change) {
        let all = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        for (subscriber, _) in all.iter() {
            subscriber.push(before, change);
        }
    }

    /// Ends all subscriptions, and waits for the calls that are running.
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

    fn end(&self) {
        self.queue().ended = true;
        self.wakeup.notify_all();
    }

    fn push(&self, before: &Arc<Snapshot>, change: &Change) {
        let mut queue = self.queue();
        if queue.ended {
            return;
        }
        match queue.changes.iter_mut().find(|(known, _)| known.place == before.place) {
            Some((known, waiting)) => *waiting = Change::between(known, &change.snapshot),
            None => queue.changes.push((Arc::clone(before), change.clone())),
        }
        drop(queue);
        self.wakeup.notify_one();
    }

    fn run(&self, notify: &dyn Fn(&Change)) {
        loop {
            let mut queue = self.queue();
            while queue.changes.is_empty() && !queue.ended {
                queue = self.wakeup.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            if queue.ended {
                return;
            }
            let (_, change) = queue.changes.remove(0);
            drop(queue);
            // A subscriber that panics misses this change and gets the next.
            drop(std::panic::catch_unwind(AssertUnwindSafe(|| notify(&change))));
        }
    }
}
