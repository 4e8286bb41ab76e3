//! Caches the list of one server, failures included, and asks for it once at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::error::RemoteError;
use crate::listing::RemoteListing;

/// A list counts at least that long, whatever the server says: nobody can make us ask in a loop.
const AT_LEAST: Duration = Duration::from_secs(1);

/// What came of asking.
pub(crate) type Outcome = Result<RemoteListing, RemoteError>;

/// The list of one server.
#[derive(Default)]
pub(crate) struct Lists {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What was answered last, and until when it counts.
    kept: Option<(Outcome, Instant)>,
    /// Where the answer comes that is waited for.
    coming: Option<watch::Receiver<Option<Outcome>>>,
}

/// Where a list is.
enum Where {
    Here(Outcome),
    Coming(watch::Receiver<Option<Outcome>>),
}

impl Lists {
    /// Returns the list that counts, or waits for the one that is on its way; asks for it if none is. Who stops waiting
    /// does not stop the asking. Nothing if the asking was given up.
    pub(crate) async fn get<F>(self: &Arc<Lists>, ask: impl FnOnce() -> F) -> Option<Outcome>
    where
        F: Future<Output = (Outcome, Duration)> + Send + 'static,
    {
        match self.find(ask) {
            Where::Here(outcome) => Some(outcome),
            Where::Coming(mut coming) => coming.wait_for(Option::is_some).await.ok()?.clone(),
        }
    }

    /// Forgets what was answered: it proved wrong.
    pub(crate) fn forget(&self) {
        self.lock().kept = None;
    }

    fn find<F>(self: &Arc<Lists>, ask: impl FnOnce() -> F) -> Where
    where
        F: Future<Output = (Outcome, Duration)> + Send + 'static,
    {
        let mut state = self.lock();
        if let Some((outcome, until)) = &state.kept
            && Instant::now() < *until
        {
            return Where::Here(outcome.clone());
        }
        // One whose task is gone brings nothing any more.
        if let Some(coming) = state.coming.as_ref().filter(|coming| coming.has_changed().is_ok()) {
            return Where::Coming(coming.clone());
        }
        let (sender, coming) = watch::channel(None);
        state.coming = Some(coming.clone());
        let (lists, asking) = (Arc::clone(self), ask());
        tokio::spawn(async move {
            let (outcome, counts) = asking.await;
            let mut state = lists.lock();
            state.kept = Some((outcome.clone(), Instant::now() + counts.max(AT_LEAST)));
            state.coming = None;
            drop(state);
            // Those who wanted it may have left.
            let _ = sender.send(Some(outcome));
        });
        Where::Coming(coming)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
