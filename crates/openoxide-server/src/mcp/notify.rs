//! Notifies clients that lists have changed.

use std::{sync::Arc, sync::atomic::Ordering, time::Duration};

use openoxide_app::live::Change;
use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::{sync::broadcast::Receiver, sync::broadcast::error::RecvError};

use super::{McpServer, McpState, McpView};

/// How often to check whether a client has left: nothing reports that.
const LOOK: Duration = Duration::from_secs(30);

/// Waits for changes of what is served, one after the other.
struct Changes {
    state: Arc<McpState>,
    receiver: Receiver<Arc<Change>>,
    /// The view before the change.
    before: Option<Arc<McpView>>,
}

impl Changes {
    async fn new(state: &Arc<McpState>) -> Changes {
        // Subscribing before looking misses nothing in between.
        let receiver = state.engine.changes();
        Changes { state: Arc::clone(state), receiver, before: state.view().await.ok() }
    }

    /// Waits for the next change, and tells whether the tools changed too; nothing when there will be none.
    async fn next(&mut self) -> Option<bool> {
        loop {
            match self.receiver.recv().await {
                Ok(change) if change.snapshot.place != self.state.engine.here => {}
                // A receiver that missed some looks at everything again.
                Ok(_) | Err(RecvError::Lagged(_)) => {
                    let now = self.state.view().await.ok();
                    let is_fixed = now.as_ref().is_some_and(|view| view.is_fixed());
                    let tools = |view: &Arc<McpView>| (view.toolbox.tools.clone(), view.list.text.clone());
                    let tools_changed = self.before.as_ref().map(tools) != now.as_ref().map(tools);
                    self.before = now;
                    if is_fixed {
                        continue;
                    }
                    return Some(tools_changed);
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

/// Waits for something, unless it is over before; that is checked now and then.
async fn unless<T>(look: Duration, is_over: impl Fn() -> bool, something: impl Future<Output = T>) -> Option<T> {
    let mut something = std::pin::pin!(something);
    while !is_over() {
        if let Ok(came) = tokio::time::timeout(look, something.as_mut()).await {
            return Some(came);
        }
    }
    None
}

impl McpServer {
    /// Notifies the client of a conversation until it leaves. However often it initializes, it is notified once.
    pub(super) fn notify(&self, peer: Peer<RoleServer>) {
        if self.is_notified.swap(true, Ordering::SeqCst) {
            return;
        }
        let state = Arc::clone(&self.state);
        tokio::spawn(async move {
            let mut changes = Changes::new(&state).await;
            drop(state);
            while let Some(Some(tools_changed)) = unless(LOOK, || peer.is_transport_closed(), changes.next()).await {
                if tools_changed && peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
                let sent = [peer.notify_prompt_list_changed().await, peer.notify_resource_list_changed().await];
                if sent.iter().any(Result::is_err) {
                    return;
                }
            }
        });
    }

    /// Notifies a subscriber until it cancels.
    pub(super) async fn notify_subscriber(&self, subscription: &SubscriptionContext) {
        let mut changes = Changes::new(&self.state).await;
        let sink = subscription.sink();
        loop {
            let changed = tokio::select! {
                () = subscription.cancelled() => return,
                changed = changes.next() => changed,
            };
            let Some(tools_changed) = changed else { return };
            // The sink refuses what the client did not subscribe to.
            if tools_changed {
                drop(sink.notify_tool_list_changed().await);
            }
            drop(sink.notify_prompt_list_changed().await);
            drop(sink.notify_resource_list_changed().await);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_one_who_left() {
        let looks = Cell::new(0);
        let is_over = || looks.replace(looks.get() + 1) >= 3;
        assert_eq!(unless(LOOK, is_over, std::future::pending::<()>()).await, None);
        assert_eq!(looks.get(), 4);
        let slow = async { tokio::time::sleep(LOOK * 5).await };
        assert_eq!(unless(LOOK, || false, slow).await, Some(()), "it is not begun again at every look");
    }
}
