//! Notifies clients that lists have changed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use openoxide_app::live::Change;
use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::server::McpServer;
use super::view::{McpView, Shared};

/// How often it is looked whether a client has left: nothing says so by itself.
const LOOK: Duration = Duration::from_secs(30);

/// What of a catalog a client may see changed.
struct News {
    tools: bool,
    rest: bool,
}

/// Waits for changes of what is served, one after the other.
struct Changes {
    shared: Arc<Shared>,
    receiver: Receiver<Arc<Change>>,
    /// What was seen before.
    before: Option<Arc<McpView>>,
}

impl Changes {
    async fn new(shared: &Arc<Shared>) -> Changes {
        // BoundListener begins before looking, so that nothing is missed between.
        let receiver = shared.engine.changes();
        Changes { shared: Arc::clone(shared), receiver, before: shared.view().await.ok() }
    }

    /// Waits for the next change; nothing when there will be none.
    async fn next(&mut self) -> Option<News> {
        loop {
            match self.receiver.recv().await {
                Ok(change) if change.snapshot.place != *self.shared.engine.here() => {}
                // Who missed some looks at everything again.
                Ok(_) | Err(RecvError::Lagged(_)) => {
                    let now = self.shared.view().await.ok();
                    let tools = |view: &Arc<McpView>| view.toolbox.tools().to_vec();
                    let news = News { tools: self.before.as_ref().map(tools) != now.as_ref().map(tools), rest: true };
                    self.before = now;
                    return Some(news);
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

/// Waits for something, unless it is over before; that is looked at now and then.
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
    /// Tells a client of a conversation about changes, until it leaves. However often it says hello, it is told once.
    pub(super) fn tell(&self, peer: Peer<RoleServer>) {
        if self.told.swap(true, Ordering::SeqCst) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let mut changes = Changes::new(&shared).await;
            drop(shared);
            while let Some(Some(news)) = unless(LOOK, || peer.is_transport_closed(), changes.next()).await {
                if news.tools && peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
                let told = [peer.notify_prompt_list_changed().await, peer.notify_resource_list_changed().await];
                if told.iter().any(Result::is_err) {
                    return;
                }
            }
        });
    }

    /// Tells a subscriber about changes, until it has enough.
    pub(super) async fn tell_subscriber(&self, subscription: &SubscriptionContext) {
        let mut changes = Changes::new(&self.shared).await;
        let sink = subscription.sink();
        loop {
            let news = tokio::select! {
                () = subscription.cancelled() => return,
                news = changes.next() => news,
            };
            let Some(news) = news else { return };
            // What was not subscribed to is refused by the sink, and nobody misses it.
            if news.tools {
                drop(sink.notify_tool_list_changed().await);
            }
            if news.rest {
                drop(sink.notify_prompt_list_changed().await);
                drop(sink.notify_resource_list_changed().await);
            }
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
