//! Bounds the conversations of HTTP clients that begin with `initialize`, with a share for each caller.
//!
//! All programs show the same token, so a caller is where it comes from and what it calls itself. A program that calls
//! itself by many names gets more than one share; still, of a caller with many conversations those go first that nothing
//! was asked in, and a caller with few loses none to one with many.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_core::Stream;
use http::{HeaderValue, header::USER_AGENT};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

use crate::Machine;

/// Most conversations at once.
const SESSIONS_MAX: usize = 256;
/// Most conversations of one caller.
const SHARE: usize = SESSIONS_MAX / 4;
/// What every client sends after `initialize`: one that has sent no more than this has asked for nothing.
const GREETINGS: u64 = 1;

tokio::task_local! {
    /// The caller of the request that is being answered.
    static CALLER: SessionCaller;
}

/// Who has a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionCaller {
    machine: Machine,
    agent: Option<HeaderValue>,
}

impl SessionCaller {
    pub(super) fn of(request: &axum::extract::Request) -> SessionCaller {
        let agent = request.headers().get(USER_AGENT).cloned();
        SessionCaller { machine: Machine::of(request.extensions()), agent }
    }

    /// Lets conversations that begin meanwhile be this caller's.
    pub(super) async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        CALLER.scope(self, work).await
    }
}

/// Conversations.
pub(super) struct Sessions {
    inner: LocalSessionManager,
    open: Mutex<Open>,
}

impl Default for Sessions {
    fn default() -> Sessions {
        let mut inner = LocalSessionManager::default();
        // A stream that began with an empty event, as an invitation to come again, would be no JSON to older clients: they
        // take that for the end of the conversation.
        inner.session_config.sse_retry = None;
        // Otherwise every answer, which may hold a file of 16 MiB, is kept for a client that might come back for it.
        inner.session_config.completed_cache_ttl = Duration::ZERO;
        Sessions { inner, open: Mutex::default() }
    }
}

/// The open conversations, the one that was quiet longest first.
#[derive(Default)]
struct Open(Vec<OpenSession>);

struct OpenSession {
    id: SessionId,
    caller: Option<SessionCaller>,
    /// How many requests followed the first.
    requests: u64,
    used: Instant,
}

type Error = <LocalSessionManager as SessionManager>::Error;
type Result<T> = std::result::Result<T, Error>;

impl Sessions {
    /// Ends the conversation that has to give way to a new one of this caller; if there is none, says after which time one
    /// ends by itself, unless it is used again.
    pub(super) async fn make_room(&self, caller: &SessionCaller) -> std::result::Result<(), Duration> {
        let lifetime = self.inner.session_config.keep_alive.unwrap_or(Duration::MAX);
        let gone = self.lock().make_room(caller, lifetime)?;
        if let Some(gone) = gone {
            // It may have ended by itself.
            drop(self.inner.close_session(&gone).await);
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn add(&mut self, id: SessionId, caller: Option<SessionCaller>) {
        self.0.push(OpenSession { id, caller, requests: 0, used: Instant::now() });
    }

    /// Notes that a conversation is used.
    fn note(&mut self, id: &SessionId) {
        if let Some(at) = self.0.iter().position(|open| open.id == *id) {
            let mut open = self.0.remove(at);
            open.requests += 1;
            open.used = Instant::now();
            self.0.push(open);
        }
    }

    /// Takes out the conversation that has to end before this caller begins another, if one has to.
    fn make_room(
        &mut self,
        caller: &SessionCaller,
        lifetime: Duration,
    ) -> std::result::Result<Option<SessionId>, Duration> {
        let is_own = |open: &OpenSession| open.caller.as_ref() == Some(caller);
        let of = |open: &OpenSession| self.0.iter().filter(|other| other.caller == open.caller).count();
        let own = self.0.iter().filter(|open| is_own(open)).count();
        let asked_nothing = |open: &OpenSession| open.requests <= GREETINGS;
        let quiet = |fits: &dyn Fn(&OpenSession) -> bool| self.0.iter().position(fits);
        let at = if own >= SHARE {
            quiet(&|open| is_own(open) && asked_nothing(open))
        } else if self.0.len() >= SESSIONS_MAX {
            let most = self.0.iter().map(of).max().unwrap_or(0);
            let has_most = |open: &OpenSession| of(open) == most;
            let has_more = |open: &OpenSession| has_most(open) && most > own + 1;
            quiet(&|open| has_most(open) && asked_nothing(open)).or_else(|| quiet(&has_more))
        } else {
            return Ok(None);
        };
        if let Some(at) = at {
            return Ok(Some(self.0.remove(at).id));
        }
        let first = self.0.iter().find(|open| own < SHARE || is_own(open));
        Err(lifetime.saturating_sub(first.map_or(Duration::ZERO, |open| open.used.elapsed())))
    }
}

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport)> {
        let (id, transport) = self.inner.create_session().await?;
        self.lock().add(id.clone(), CALLER.try_with(Clone::clone).ok());
        Ok((id, transport))
    }

    async fn initialize_session(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<ServerJsonRpcMessage> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool> {
        self.lock().note(id);
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<()> {
        self.lock().0.retain(|open| open.id != *id);
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIFETIME: Duration = Duration::from_mins(5);

    fn caller(name: &'static str) -> SessionCaller {
        let machine = Machine::of(&http::Extensions::new());
        SessionCaller { machine, agent: Some(HeaderValue::from_static(name)) }
    }

    /// Begins a conversation, in which so many requests are made.
    fn begin(open: &mut Open, name: &'static str, requests: usize) -> std::result::Result<SessionId, Duration> {
        open.make_room(&caller(name), LIFETIME)?;
        let id: SessionId = openoxide_app::random_name().unwrap().into();
        open.add(id.clone(), Some(caller(name)));
        (0..requests).for_each(|_| open.note(&id));
        Ok(id)
    }

    fn has(open: &Open, id: &SessionId) -> bool {
        open.0.iter().any(|open| open.id == *id)
    }

    #[test]
    fn a_caller_that_begins_and_does_nothing_ends_its_own() {
        let mut open = Open::default();
        let (quiet, own) = (begin(&mut open, "a", 1).unwrap(), begin(&mut open, "b", 5).unwrap());
        (0..1000).for_each(|_| drop(begin(&mut open, "b", 1).unwrap()));
        assert!(has(&open, &quiet) && has(&open, &own));
        assert_eq!(open.0.len(), 1 + SHARE);
    }

    #[test]
    fn a_caller_that_uses_its_share_is_told_when_there_is_room_again() {
        let mut open = Open::default();
        (0..SHARE).for_each(|_| drop(begin(&mut open, "a", 2).unwrap()));
        let time = begin(&mut open, "a", 2).unwrap_err();
        assert!(time <= LIFETIME && time > LIFETIME / 2, "{time:?}");
        assert!(begin(&mut open, "b", 2).is_ok());
    }

    #[test]
    fn callers_with_many_give_way_to_callers_with_few() {
        let mut open = Open::default();
        let few = begin(&mut open, "few", 2).unwrap();
        for name in ["a", "b", "c", "d"] {
            (0..SHARE - 1).for_each(|_| drop(begin(&mut open, name, 2).unwrap()));
        }
        while open.0.len() < SESSIONS_MAX {
            begin(&mut open, "e", 2).unwrap();
        }
        (0..10).for_each(|_| drop(begin(&mut open, "new", 2).unwrap()));
        assert!(has(&open, &few) && open.0.len() == SESSIONS_MAX);
    }
}
