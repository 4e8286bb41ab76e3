//! Sends messages to the client, one per line, and keeps the requests that it has not answered yet.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};

use super::message::Id;

/// How many messages may wait for a client that does not read.
const WAITING: usize = 16;

pub(super) struct Output {
    lines: mpsc::Sender<String>,
}

impl Output {
    pub(super) fn new() -> (Output, mpsc::Receiver<String>) {
        let (lines, waiting) = mpsc::channel(WAITING);
        (Output { lines }, waiting)
    }

    pub(super) async fn send(&self, message: &Value) {
        // A client that is gone needs nothing any more.
        let _ = self.lines.send(format!("{message}\n")).await;
    }
}

/// Writes messages until the sender or the client is gone.
pub(super) async fn write(mut waiting: mpsc::Receiver<String>, mut output: impl AsyncWrite + Unpin) {
    while let Some(line) = waiting.recv().await {
        if output.write_all(line.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

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
