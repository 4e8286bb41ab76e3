//! Bounds the conversations of HTTP clients that begin with `initialize`, with a share for each caller.
//!
//! Of a caller with many conversations those go first that nothing was asked in. A conversation has its place before it
//! begins, so that requests that come at the same time do not share one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

use crate::ClientProgram;
use crate::shares::{Room, Shares};

/// Most conversations at once.
const SHARES: Shares = Shares { all: 256, each: 64 };
/// What every client sends after `initialize`: one that has sent no more than this has asked for nothing.
const GREETINGS: u64 = 1;

tokio::task_local! {
    /// The number of the place that the conversation takes which this request begins.
    static PLACE: u64;
}

/// A place for a conversation, which is given back if none begins.
pub(super) struct SessionPlace {
    sessions: Arc<Sessions>,
    number: u64,
}

impl SessionPlace {
    /// Lets the conversation that begins meanwhile have this place.
    pub(super) async fn begin<T>(self, work: impl Future<Output = T>) -> T {
        PLACE.scope(self.number, work).await
    }
}

impl Drop for SessionPlace {
    fn drop(&mut self) {
        self.sessions.lock().all.retain(|open| open.number != self.number || open.id.is_some());
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

/// The open conversations, and those that are about to begin.
#[derive(Default)]
struct Open {
    /// The one that was quiet longest first.
    all: Vec<OpenSession>,
    /// The number of the last one.
    last: u64,
}

struct OpenSession {
    number: u64,
    /// Absent until the conversation begins.
    id: Option<SessionId>,
    caller: ClientProgram,
    /// How many requests followed the first.
    requests: u64,
    used: Instant,
}

type Error = <LocalSessionManager as SessionManager>::Error;
type Result<T> = std::result::Result<T, Error>;

impl Sessions {
    /// Takes a place for a new conversation of this caller, and ends the one that has to give way to it; if there is none,
    /// says after which time one ends by itself, unless it is used again.
    pub(super) async fn make_room(
        self: &Arc<Sessions>,
        caller: ClientProgram,
    ) -> std::result::Result<SessionPlace, Duration> {
        let lifetime = self.inner.session_config.keep_alive.unwrap_or(Duration::MAX);
        let (number, gone) = self.lock().enter(caller, lifetime)?;
        let place = SessionPlace { sessions: Arc::clone(self), number };
        if let Some(gone) = gone {
            // It may have ended by itself.
            drop(self.inner.close_session(&gone).await);
        }
        Ok(place)
    }

    /// Tells whether a conversation is open.
    pub(super) fn is_open(&self, id: &str) -> bool {
        self.lock().all.iter().any(|open| open.id.as_deref() == Some(id))
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Takes a place for a conversation of this caller: its number, and the conversation that has to end for it, if one has
    /// to.
    fn enter(
        &mut self,
        caller: ClientProgram,
        lifetime: Duration,
    ) -> std::result::Result<(u64, Option<SessionId>), Duration> {
        let gone = self.make_room(&caller, lifetime)?;
        self.last += 1;
        self.all.push(OpenSession { number: self.last, id: None, caller, requests: 0, used: Instant::now() });
        Ok((self.last, gone))
    }

    /// Notes that the conversation that has a place begins; tells whether the place is still there.
    fn begin(&mut self, number: u64, id: &SessionId) -> bool {
        let found = self.all.iter_mut().find(|open| open.number == number && open.id.is_none());
        found.map(|open| open.id = Some(id.clone())).is_some()
    }

    /// Notes that a conversation is used.
    fn note(&mut self, id: &SessionId) {
        if let Some(at) = self.all.iter().position(|open| open.id.as_ref() == Some(id)) {
            let mut open = self.all.remove(at);
            open.requests += 1;
            open.used = Instant::now();
            self.all.push(open);
        }
    }

    /// Takes out the conversation that has to end before this caller begins another, if one has to.
    fn make_room(
        &mut self,
        caller: &ClientProgram,
        lifetime: Duration,
    ) -> std::result::Result<Option<SessionId>, Duration> {
        let callers: Vec<&ClientProgram> = self.all.iter().map(|open| &open.caller).collect();
        // One that is about to begin cannot be ended yet.
        let quiet = |at: &[usize], requests: u64| {
            let may_end = |at: &usize| self.all[*at].id.is_some() && self.all[*at].requests <= requests;
            at.iter().copied().find(may_end)
        };
        let (at, first) = match SHARES.room(&callers, caller) {
            Room::Free => return Ok(None),
            Room::Own(own) => (quiet(&own, GREETINGS), own.first().copied()),
            Room::Most { at, has_more: true } => (quiet(&at, GREETINGS).or_else(|| quiet(&at, u64::MAX)), Some(0)),
            Room::Most { at, has_more: false } => (quiet(&at, GREETINGS), Some(0)),
        };
        if let Some(at) = at {
            return Ok(self.all.remove(at).id);
        }
        let first = first.and_then(|at| self.all.get(at));
        Err(lifetime.saturating_sub(first.map_or(Duration::ZERO, |open| open.used.elapsed())))
    }
}

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport)> {
        let (id, transport) = self.inner.create_session().await?;
        let number = PLACE.try_with(|number| *number).unwrap_or_default();
        // Without a place, which only a request that is over has not, it ends at once.
        if !self.lock().begin(number, &id) {
            drop(self.inner.close_session(&id).await);
        }
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
        self.lock().all.retain(|open| open.id.as_ref() != Some(id));
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

    fn caller(name: &'static str) -> ClientProgram {
        let headers = [(http::header::USER_AGENT, http::HeaderValue::from_static(name))];
        ClientProgram::of(&http::Extensions::new(), &headers.into_iter().collect())
    }

    /// Begins a conversation, in which so many requests are made.
    fn begin(open: &mut Open, name: &'static str, requests: usize) -> std::result::Result<SessionId, Duration> {
        let (number, _) = open.enter(caller(name), LIFETIME)?;
        let id: SessionId = openoxide_app::random_name().unwrap().into();
        assert!(open.begin(number, &id));
        (0..requests).for_each(|_| open.note(&id));
        Ok(id)
    }

    fn has(open: &Open, id: &SessionId) -> bool {
        open.all.iter().any(|open| open.id.as_ref() == Some(id))
    }

    #[test]
    fn a_caller_that_begins_and_does_nothing_ends_its_own() {
        let mut open = Open::default();
        let (quiet, own) = (begin(&mut open, "a", 1).unwrap(), begin(&mut open, "b", 5).unwrap());
        (0..1000).for_each(|_| drop(begin(&mut open, "b", 1).unwrap()));
        assert!(has(&open, &quiet) && has(&open, &own));
        assert_eq!(open.all.len(), 1 + SHARES.each);
    }

    #[test]
    fn a_caller_that_uses_its_share_is_told_when_there_is_room_again() {
        let mut open = Open::default();
        (0..SHARES.each).for_each(|_| drop(begin(&mut open, "a", 2).unwrap()));
        let time = begin(&mut open, "a", 2).unwrap_err();
        assert!(time <= LIFETIME && time > LIFETIME / 2, "{time:?}");
        assert!(begin(&mut open, "b", 2).is_ok());
    }

    #[test]
    fn callers_with_many_give_way_to_callers_with_few() {
        let mut open = Open::default();
        let few = begin(&mut open, "few", 2).unwrap();
        for name in ["a", "b", "c", "d"] {
            (0..SHARES.each - 1).for_each(|_| drop(begin(&mut open, name, 2).unwrap()));
        }
        while open.all.len() < SHARES.all {
            begin(&mut open, "e", 2).unwrap();
        }
        (0..10).for_each(|_| drop(begin(&mut open, "new", 2).unwrap()));
        assert!(has(&open, &few) && open.all.len() == SHARES.all);
    }

    /// Requests that come at the same time all ask for room before the first conversation begins.
    #[tokio::test]
    async fn a_place_is_taken_before_the_conversation_begins_and_given_back_without_one() {
        let sessions: Arc<Sessions> = Arc::default();
        let mut places = Vec::new();
        for _ in 0..SHARES.each {
            places.push(sessions.make_room(caller("a")).await.unwrap());
        }
        assert!(sessions.make_room(caller("a")).await.is_err(), "its share is taken");
        let (id, _transport) = places.pop().unwrap().begin(sessions.create_session()).await.unwrap();
        assert!(has(&sessions.lock(), &id) && sessions.lock().all.len() == SHARES.each);
        drop(places);
        assert_eq!(sessions.lock().all.len(), 1, "what began stays");
        assert!(sessions.make_room(caller("a")).await.is_ok());
    }
}
