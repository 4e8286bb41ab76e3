//! Bounds the sessions of HTTP clients that begin with `initialize`.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

/// Most conversations at once; the one that was quiet longest ends first.
const SESSIONS_MAX: usize = 256;

/// Conversations, the one that was quiet longest first.
#[derive(Default)]
pub(super) struct Sessions {
    inner: LocalSessionManager,
    used: Mutex<VecDeque<SessionId>>,
}

type Error = <LocalSessionManager as SessionManager>::Error;
type Result<T> = std::result::Result<T, Error>;

impl Sessions {
    /// Notes that a conversation is used; returns those that must end for it.
    fn note(&self, id: &SessionId, is_new: bool) -> Vec<SessionId> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let was_there = used.iter().position(|other| other == id).and_then(|at| used.remove(at)).is_some();
        if is_new || was_there {
            used.push_back(id.clone());
        }
        let too_many = used.len().saturating_sub(SESSIONS_MAX);
        used.drain(..too_many).collect()
    }
}

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport)> {
        let (id, transport) = self.inner.create_session().await?;
        for old in self.note(&id, true) {
            // It may have ended by itself.
            drop(self.inner.close_session(&old).await);
        }
        Ok((id, transport))
    }

    async fn initialize_session(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<ServerJsonRpcMessage> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool> {
        self.note(id, false);
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<()> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<()> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.inner.resume(id, last_event_id).await
    }
}
