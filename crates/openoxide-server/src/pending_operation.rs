//! An operation that waits for the user's answer, between two requests of a conversation.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::ConnectInfo;
use http::{Extensions, HeaderMap, HeaderValue, header::USER_AGENT};
use openoxide_app::{
    Answer, Pending, PendingError, PendingKind, Question, Reading, Session, Snapshot, Waits, activate::Activate,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
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
    /// The answer of the user, which is used when the client repeats its request.
    pub(crate) answer: Option<Answer>,
    /// Questions that the client could not ask, and why.
    pub(crate) unasked: Vec<String>,
}

pub(crate) enum PendingWork {
    Activate(Box<Activate>),
    Read(Box<Reading>),
}

/// The longest request that waits for an answer, in bytes.
const REQUEST_MAX: usize = 64 * 1024;

/// What is requested, by its digest: what it was, the operation itself knows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RequestKey {
    method: &'static str,
    digest: [u8; 32],
    size: usize,
}

impl RequestKey {
    pub(crate) fn new(method: &'static str, name: &str, arguments: &Value) -> RequestKey {
        let text = json!([name, arguments]).to_string();
        RequestKey { method, digest: Sha256::digest(&text).into(), size: text.len() }
    }
}

/// The machine that a request comes from; the server's own, unless something else is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Machine(Option<IpAddr>);

impl Machine {
    /// Returns the machine that a connection comes from; nothing but the ingress knows any other than this one.
    pub(crate) fn of(extensions: &Extensions) -> Machine {
        let address = extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_canonical());
        Machine(address.filter(|address| !address.is_loopback()))
    }
}

/// The program that a request comes from, as far as the server can tell programs apart: all of them show the same token.
///
/// Shares are given to it, and never rights, because a program can call itself anything. One that calls itself by many names
/// gets more than one share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientProgram {
    machine: Machine,
    agent: Option<HeaderValue>,
}

impl ClientProgram {
    pub(crate) fn of(extensions: &Extensions, headers: &HeaderMap) -> ClientProgram {
        ClientProgram { machine: Machine::of(extensions), agent: headers.get(USER_AGENT).cloned() }
    }

    /// Returns what the program calls itself.
    pub(crate) fn agent(&self) -> Option<Cow<'_, str>> {
        self.agent.as_ref().map(|agent| String::from_utf8_lossy(agent.as_bytes()))
    }
}

/// Whose operation waits: who finds it again, and may answer it.
#[derive(Clone)]
pub(crate) enum Owner {
    /// Clients of the HTTP face on one machine.
    Http(Identity, Machine),
    /// MCP clients on one machine, over HTTP, whose every request stands alone.
    McpAlone(Machine),
    /// A conversation of an MCP client.
    McpConversation(Conversation),
}

impl PartialEq for Owner {
    fn eq(&self, other: &Owner) -> bool {
        match (self, other) {
            (Owner::Http(one, here), Owner::Http(other, there)) => one == other && here == there,
            (Owner::McpAlone(here), Owner::McpAlone(there)) => here == there,
            (Owner::McpConversation(one), Owner::McpConversation(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// Who asked for what. The same request of the same client finds its operation again, and nobody else does.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) owner: Owner,
    /// Whose share of the questions it takes. A program has one share in all its conversations.
    pub(crate) program: ClientProgram,
    pub(crate) request: RequestKey,
}

impl PartialEq for Asked {
    fn eq(&self, other: &Asked) -> bool {
        self.owner == other.owner && self.request == other.request
    }
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
        if self.asked.request.size > REQUEST_MAX {
            return Err(PendingError::TooLarge);
        }
        pending.insert(self.work.kind(), self)
    }
}

impl Waits for PendingOperation {
    fn is_same(&self, other: &PendingOperation) -> bool {
        self.asked == other.asked
    }

    fn has_caller_of(&self, other: &PendingOperation) -> bool {
        self.is_of_user() == other.is_of_user() && self.asked.program == other.asked.program
    }

    fn is_of_user(&self) -> bool {
        matches!(self.asked.owner, Owner::Http(Identity::Person, _))
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
