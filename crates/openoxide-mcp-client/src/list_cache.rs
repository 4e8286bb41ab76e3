//! Caches the list of one server, failures included, and asks for it once at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::{FetchError, RemoteListing};

/// A list is valid for at least this long, whatever the server says: no server can make us ask in a loop.
const MIN_FRESH: Duration = Duration::from_secs(1);

type Outcome = Result<RemoteListing, FetchError>;

/// The outcome of asking, and until when it is valid; absent as long as the server is being asked.
type Answer = watch::Receiver<Option<(Outcome, Instant)>>;

/// The list of one server.
#[derive(Default)]
pub(crate) struct ListCache {
    answer: Mutex<Option<Answer>>,
}

impl ListCache {
    /// Returns the valid list, or waits for the one that is on its way; asks for it if none is. A caller that stops
    /// waiting does not stop the asking. Returns `None` if the asking was given up.
    pub(crate) async fn get<F>(&self, ask: impl FnOnce() -> F) -> Option<Outcome>
    where
        F: Future<Output = (Outcome, Duration)> + Send + 'static,
    {
        let mut answer = {
            let mut last = self.lock();
            match last.as_ref().filter(|answer| is_usable(answer)) {
                Some(answer) => answer.clone(),
                None => last.insert(start(ask())).clone(),
            }
        };
        let outcome = answer.wait_for(Option::is_some).await.ok()?;
        outcome.as_ref().map(|(outcome, _)| outcome.clone())
    }

    /// Forgets a list that proved wrong.
    pub(crate) fn forget(&self) {
        self.lock().take_if(|answer| answer.borrow().is_some());
    }

    fn lock(&self) -> MutexGuard<'_, Option<Answer>> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_usable(answer: &Answer) -> bool {
    match &*answer.borrow() {
        Some((_, until)) => Instant::now() < *until,
        // A task that is gone brings nothing any more.
        None => answer.has_changed().is_ok(),
    }
}

fn start(asking: impl Future<Output = (Outcome, Duration)> + Send + 'static) -> Answer {
    let (sender, answer) = watch::channel(None);
    tokio::spawn(async move {
        let (outcome, fresh) = asking.await;
        // Every caller that waited may have left.
        let _ = sender.send(Some((outcome, Instant::now() + fresh.max(MIN_FRESH))));
    });
    answer
}
