//! Notifies the client that skills changed.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use openoxide_app::live::Change;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::Client;

pub(super) const NAME: &str = "skills/changed";

/// How long changes are gathered into one notification.
const TOGETHER: Duration = Duration::from_millis(100);

/// Notifies the client of changes. Changes at about the same time, or while the client does not read, become one
/// notification.
pub(super) async fn notify(mut changes: broadcast::Receiver<Arc<Change>>, client: Arc<Client>) {
    loop {
        match changes.recv().await {
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
        // One event on disk changes several places.
        tokio::time::sleep(TOGETHER).await;
        while matches!(changes.try_recv(), Ok(_) | Err(TryRecvError::Lagged(_))) {}
        now(&client).await;
    }
}

/// Notifies the client of a change now, unless it does not want that.
pub(super) async fn now(client: &Client) {
    if client.declared.get().is_some_and(|declared| declared.wants_changes) {
        client.output.send(&notification()).await;
    }
}

/// Writes the notification, which tells the client to list skills again.
fn notification() -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    json!({ "method": NAME, "params": {}, "emittedAtMs": now })
}
