//! Holds the state of one client: its capabilities, its conversations and the places it asked about.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use openoxide_app::{Error, Place, Snapshot, live::Pin, reload};

use super::error::{Result, RpcError};
use super::outgoing::{OpenRequests, Output};
use crate::conversations::{Conversations, NAME_MAX};
use crate::{Conversation, Engine, Unavailable, shares::Shares};

/// How many conversations are remembered. All of them are the client's own.
const SESSIONS: Shares = Shares { all: 64, each: 64 };

/// How many places are known by the settings that they were looked at with.
const PLACES: usize = 256;

/// What the server says about itself.
#[derive(Clone, Debug, Default)]
pub struct RpcOptions {
    /// The folder with the user's settings.
    pub home: Option<PathBuf>,
}

/// What a client says about itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) can_ask: bool,
    pub(super) wants_changes: bool,
}

pub(super) struct Client {
    pub(super) engine: Engine,
    pub(super) output: Output,
    pub(super) options: RpcOptions,
    pub(super) asks: OpenRequests,
    /// What it said about itself, once it has.
    pub(super) declared: OnceLock<Declared>,
    /// Folders of skills that it added.
    pub(super) extra_roots: Mutex<Vec<PathBuf>>,
    sessions: Conversations<()>,
    /// Grows with every change of settings.
    written: AtomicU64,
    /// The value of `written` when each place was last looked at. The client is notified of changes there, so the places
    /// are pinned.
    looked: Mutex<HashMap<Place, (u64, Pin)>>,
}

impl Client {
    pub(super) fn new(engine: Engine, output: Output, options: RpcOptions) -> Client {
        Client {
            engine,
            output,
            options,
            asks: OpenRequests::default(),
            declared: OnceLock::new(),
            extra_roots: Mutex::default(),
            sessions: Conversations::new(SESSIONS),
            written: AtomicU64::new(0),
            looked: Mutex::default(),
        }
    }

    /// Returns the place of a folder, seen from the server's own if it is relative.
    pub(super) fn place(&self, cwd: Option<&Path>, more: &[PathBuf]) -> Place {
        let mut place = self.engine.here.clone();
        if let Some(cwd) = cwd {
            place.folder.push(cwd);
            place.project = None;
        }
        place.added.extend(self.extra_roots.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        place.added.extend_from_slice(more);
        let mut known = std::collections::HashSet::new();
        place.added.retain(|root| known.insert(root.clone()));
        place
    }

    /// Does work on the snapshot of a place. The place is looked at anew if the caller says `again`, or if settings were
    /// changed since.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        place: Place,
        again: bool,
        work: impl FnOnce(&Arc<Snapshot>) -> T + Send + 'static,
    ) -> Result<Result<T, Error>, Unavailable> {
        let live = self.engine.live.clone();
        let written = self.written.load(Ordering::SeqCst);
        let again = self.is_old(&place, written) || again;
        let looked = place.clone();
        let look = move || {
            let snapshot = if again { reload::reload(&live, &place)? } else { live.snapshot(&place)? };
            Ok(work(&snapshot))
        };
        let outcome = self.engine.work().run(look).await?;
        // Not before the work: a request in between must not take the old snapshot for a new one.
        if outcome.is_ok() {
            self.note_looked(looked, written);
        }
        Ok(outcome)
    }

    pub(super) async fn snapshot(&self, cwd: Option<&Path>) -> Result<Arc<Snapshot>> {
        Ok(self.work(self.place(cwd, &[]), false, Arc::clone).await??)
    }

    /// Returns the places that the client asked about, in a fixed order.
    pub(super) fn places(&self) -> Vec<Place> {
        let looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places: Vec<Place> = looked.keys().cloned().collect();
        places.sort();
        places
    }

    /// Notes that settings were changed, so that every snapshot may be old.
    pub(super) fn note_written(&self) {
        self.written.fetch_add(1, Ordering::SeqCst);
    }

    /// Tells whether settings were changed since a place was looked at.
    fn is_old(&self, place: &Place, written: u64) -> bool {
        let looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        // A place that is not known may have been looked at before anything was written.
        looked.get(place).map_or(0, |(number, _)| *number) < written
    }

    /// Notes that a place was looked at with so many changes of settings.
    fn note_looked(&self, place: Place, written: u64) {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.len() >= PLACES && !looked.contains_key(&place) {
            looked.clear();
        }
        let pin = self.engine.live.pin(&place);
        let known = looked.entry(place).or_insert((written, pin));
        known.0 = known.0.max(written);
    }

    /// Returns a conversation.
    pub(super) fn session(&self, name: &str) -> Result<Conversation> {
        if name.len() > NAME_MAX {
            return Err(RpcError::params(format!("`session` has at most {NAME_MAX} bytes")));
        }
        Ok(self.sessions.get((), name))
    }
}

#[cfg(test)]
mod tests {
    use openoxide_app::Environment;
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::engine::EngineOptions;

    #[tokio::test]
    async fn a_place_is_old_until_it_was_looked_at_again() {
        let context = TestContext::new();
        let environment = Environment { cwd: context.project(), home: Some(context.home()), ..Environment::default() };
        let engine = Engine::new(environment, Place::of(context.project()), EngineOptions::default());
        let client = Client::new(engine, Output::new().0, RpcOptions::default());
        let place = client.place(None, &[]);
        client.note_written();
        assert!(client.is_old(&place, 1));
        assert!(client.is_old(&place, 1), "asking makes nothing new");
        client.snapshot(None).await.unwrap();
        assert!(!client.is_old(&place, 1));
        client.note_written();
        assert!(client.is_old(&place, 2));
        client.note_looked(place.clone(), 2);
        client.note_looked(place.clone(), 1);
        assert!(!client.is_old(&place, 2), "who was slow takes nothing back");
    }
}
