//! Sends messages to the client, one per line, in order.

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;

/// How many messages may wait for a client that does not read.
const WAITING: usize = 16;

pub(super) struct Output {
    lines: mpsc::Sender<String>,
}

impl Output {
    /// Makes the sender and the receiver of messages.
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
