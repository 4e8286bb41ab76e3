//! One conversation with an MCP client, which the handlers answer from.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use openoxide_app::Session;
use tokio::sync::Mutex;

use super::view::Shared;
use crate::conversation::Conversation;

/// One conversation with a client.
#[derive(Clone)]
pub(crate) struct McpServer {
    pub(super) shared: Arc<Shared>,
    pub(super) session: Conversation,
    /// Whether all requests are of one conversation, whatever they say.
    pub(super) one_conversation: bool,
    /// Whether the client is told about changes already.
    pub(super) told: Arc<AtomicBool>,
}

impl McpServer {
    pub(super) fn new(shared: Arc<Shared>, one_conversation: bool) -> McpServer {
        let session = Arc::new(Mutex::new(Session::new(openoxide_app::random_name().unwrap_or_default())));
        McpServer { shared, session, one_conversation, told: Arc::default() }
    }
}
