//! An operation that waits for the user's answer, between two requests of a client.

use std::sync::Arc;

use openoxide_app::{PendingKind, Question, Reading, Snapshot, activate::Activate};
use serde_json::Value;

use crate::Conversation;

/// An operation that waits for the user's answer.
pub(crate) struct PendingOperation {
    pub(crate) work: PendingWork,
    pub(crate) question: Question,
    /// The snapshot that the operation began with.
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) session: Conversation,
    /// The request that the client has to repeat with the answer, where its protocol works like that.
    pub(crate) request: Option<RequestKey>,
    /// Questions that the client could not ask, and why.
    pub(crate) unasked: Vec<String>,
}

/// The work that waits.
pub(crate) enum PendingWork {
    Activate(Box<Activate>),
    Read(Box<Reading>),
}

/// Tells one request from another.
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
