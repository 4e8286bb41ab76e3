//! An operation that waits for the user's answer, between two requests of a conversation.

use std::sync::Arc;

use openoxide_app::{
    Answer, Pending, PendingError, PendingKind, Question, Reading, Session, Snapshot, activate::Activate,
};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::Identity;

/// A conversation with a client. Several requests may be part of it at once, so it is locked for single steps only: never
/// while a command runs, a server is asked, or the user thinks.
pub(crate) type Conversation = Arc<Mutex<Session>>;

pub(crate) struct PendingOperation {
    pub(crate) work: PendingWork,
    pub(crate) question: Question,
    /// The snapshot that the operation asked its question on.
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) session: Conversation,
    pub(crate) asked: Asked,
    /// The answer of the user, which counts when the client repeats its request.
    pub(crate) answer: Option<Answer>,
    /// Questions that the client could not ask, and why.
    pub(crate) unasked: Vec<String>,
}

pub(crate) enum PendingWork {
    Activate(Box<Activate>),
    Read(Box<Reading>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RequestKey {
    method: &'static str,
    name: String,
    arguments: Value,
}

impl RequestKey {
    pub(crate) fn new(method: &'static str, name: &str, arguments: Value) -> RequestKey {
        RequestKey { method, name: name.to_owned(), arguments }
    }
}

/// Whose operation waits.
#[derive(Clone)]
pub(crate) enum Owner {
    /// A client of the HTTP face.
    Http(Identity),
    /// An MCP client over HTTP whose every request stands alone.
    McpAlone,
    /// A conversation of an MCP client.
    McpConversation(Conversation),
}

impl PartialEq for Owner {
    fn eq(&self, other: &Owner) -> bool {
        match (self, other) {
            (Owner::Http(one), Owner::Http(other)) => one == other,
            (Owner::McpAlone, Owner::McpAlone) => true,
            (Owner::McpConversation(one), Owner::McpConversation(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// Who asked for what. The same request of the same client finds its operation again, and nobody else does.
#[derive(Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) owner: Owner,
    pub(crate) request: RequestKey,
}

/// What became of an earlier request that was the same.
pub(crate) enum Earlier {
    /// The user has answered, and the operation can go on.
    Answered(Box<PendingOperation>, Answer),
    /// The question is still open.
    Open(String, Question),
}

impl Earlier {
    /// Finds what waits for a request, and takes it if the user has answered.
    pub(crate) fn find(pending: &Pending<PendingOperation>, asked: &Asked) -> Option<Earlier> {
        let is_it = |waiting: &PendingOperation| waiting.asked == *asked;
        if let Some(mut taken) = pending.take_first(|waiting| is_it(waiting) && waiting.answer.is_some()) {
            let answer = taken.answer.take()?;
            return Some(Earlier::Answered(Box::new(taken), answer));
        }
        let open = |handle: &str, waiting: &PendingOperation| {
            is_it(waiting).then(|| Earlier::Open(handle.to_owned(), waiting.question.clone()))
        };
        pending.all(open).into_iter().next()
    }
}

impl PendingOperation {
    /// Keeps the operation until the user answers; the same question of the same client waits once.
    pub(crate) fn wait(self, pending: &Pending<PendingOperation>) -> Result<String, PendingError> {
        let (kind, asked) = (self.work.kind(), self.asked.clone());
        pending.insert_once(kind, self, |other| other.asked == asked)
    }
}

/// An operation that can wait for an answer.
pub(crate) trait Pend: Sized {
    fn pend(self: Box<Self>) -> PendingWork;
    /// Returns what waited, if it was such an operation.
    fn take(work: PendingWork) -> Option<Box<Self>>;
}

impl Pend for Activate {
    fn pend(self: Box<Self>) -> PendingWork {
        PendingWork::Activate(self)
    }

    fn take(work: PendingWork) -> Option<Box<Activate>> {
        if let PendingWork::Activate(operation) = work { Some(operation) } else { None }
    }
}

impl Pend for Reading {
    fn pend(self: Box<Self>) -> PendingWork {
        PendingWork::Read(self)
    }

    fn take(work: PendingWork) -> Option<Box<Reading>> {
        if let PendingWork::Read(operation) = work { Some(operation) } else { None }
    }
}

impl PendingWork {
    pub(crate) fn kind(&self) -> PendingKind {
        match self {
            PendingWork::Activate(_) => PendingKind::Activation,
            PendingWork::Read(_) => PendingKind::Read,
        }
    }
}
