//! Notifies the client that skills changed.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use openoxide_app::live::Change;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::client::Client;

/// What the notice is called.
pub(super) const NAME: &str = "skills/changed";

/// How long changes are gathered before they are told as one.
const TOGETHER: Duration = Duration::from_millis(100);

/// Tells of changes. Those that come at about the same time, or while the client does not read, are told as one.
pub(super) async fn tell(mut changes: broadcast::Receiver<Arc<Change>>, client: Arc<Client>) {
    loop {
        match changes.recv().await {
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
        // One thing that happened is seen from several places.
        tokio::time::sleep(TOGETHER).await;
        while matches!(changes.try_recv(), Ok(_) | Err(TryRecvError::Lagged(_))) {}
        now(&client).await;
    }
}

/// Tells of a change, unless the client does not want to know.
pub(super) async fn now(client: &Client) {
    if client.wants_changes() {
        client.output.send(&notice()).await;
    }
}

/// Writes the notice: whoever gets it asks for the list again.
fn notice() -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    json!({ "method": NAME, "params": {}, "emittedAtMs": now })
}
