//! An operation that waits for the user's answer, between two requests of a conversation.

use std::sync::Arc;

use openoxide_app::{PendingKind, Question, Reading, Session, Snapshot, activate::Activate};
use serde_json::Value;
use tokio::sync::Mutex;

/// A conversation with a client. Several requests may be part of it at once, so it is locked for single steps only: never
/// while a command runs, a server is asked, or the user thinks.
pub(crate) type Conversation = Arc<Mutex<Session>>;

pub(crate) struct PendingOperation {
    pub(crate) work: PendingWork,
    pub(crate) question: Question,
    /// The snapshot that the operation asked its question on.
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) session: Conversation,
    /// The request that the client has to repeat with the answer, where its protocol works like that.
    pub(crate) request: Option<RequestKey>,
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
