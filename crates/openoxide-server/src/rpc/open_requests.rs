//! Requests to the client that it has not answered yet.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;

use super::message::Id;

/// Requests that the client has not answered yet.
#[derive(Default)]
pub(super) struct OpenRequests {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    closed: bool,
    waiting: HashMap<String, oneshot::Sender<Option<Value>>>,
}

impl OpenRequests {
    /// Returns the id of a new request and the receiver of its answer; nothing if no answer can come any more.
    pub(super) fn begin(&self) -> Option<(String, oneshot::Receiver<Option<Value>>)> {
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        state.last += 1;
        let id = format!("ask-{}", state.last);
        let (sender, receiver) = oneshot::channel();
        state.waiting.insert(id.clone(), sender);
        Some((id, receiver))
    }

    /// Hands an answer to the request that waits for it, if there is one.
    pub(super) fn answer(&self, id: &Id, result: Option<Value>) {
        let Id::Text(id) = id else { return };
        if let Some(waiting) = self.lock().waiting.remove(id) {
            let _ = waiting.send(result);
        }
    }

    /// Drops a request that is not waited for any more.
    pub(super) fn forget(&self, id: &str) {
        self.lock().waiting.remove(id);
    }

    /// Ends all waiting, now and later.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.waiting.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
