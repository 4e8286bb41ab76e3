//! Requests to the client that it has not answered yet.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

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
    /// Makes the id of a new request, and where its answer comes; nothing if no answer can come any more.
    pub(super) fn begin(&self) -> Option<(String, oneshot::Receiver<Option<Value>>)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        state.last += 1;
        let id = format!("ask-{}", state.last);
        let (sender, receiver) = oneshot::channel();
        state.waiting.insert(id.clone(), sender);
        Some((id, receiver))
    }

    /// Hands an answer to whoever waits for it; tells whether somebody did.
    pub(super) fn answer(&self, id: &Id, result: Option<Value>) -> bool {
        let Id::Text(id) = id else { return false };
        let waiting = self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(id);
        waiting.is_some_and(|waiting| waiting.send(result).is_ok())
    }

    /// Drops a request that is not waited for any more.
    pub(super) fn forget(&self, id: &str) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(id);
    }

    /// Lets nobody wait any more.
    pub(super) fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        state.waiting.clear();
    }
}
