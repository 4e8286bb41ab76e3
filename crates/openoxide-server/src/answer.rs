//! Errors as every face answers them: a finding as the command line has it, with the id of the request.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use openoxide_app::{Error, ErrorKind, WorkspaceError};
use openoxide_wire::ProblemLine;
use schemars::JsonSchema;
use serde::Serialize;

use crate::blocking_pool::Unavailable;

/// Takes absolute paths out of a finding.
pub(crate) type Hide = Arc<dyn Fn(&mut ProblemLine) + Send + Sync>;

/// What tells one request from all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(pub Arc<str>);

/// Where a request comes from, as the listener knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Peer {
    /// From this machine.
    Local,
    /// From anywhere, or nobody knows: it is shown no absolute paths, and names no folders.
    #[default]
    Remote,
}

/// Whether whoever asks has shown the server's token. Without, it is one of all who can reach the address: another user of
/// this machine, or a command of a skill; so it cannot say yes for the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ApprovalProof(pub bool);

/// Why a request is not answered.
#[derive(Clone, Debug)]
pub struct Failure {
    status: StatusCode,
    line: ProblemLine,
    retry_after: Option<u32>,
}

/// The body of every error.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorAnswer {
    /// What is wrong.
    pub error: ErrorLine,
}

/// What is wrong with a request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorLine {
    /// The finding; its code is a word, or a code that `openoxide explain` knows.
    #[serde(flatten)]
    pub problem: ProblemLine,
    /// What the log calls the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Failure {
    /// Makes a failure; `code` is a word that does not change.
    pub fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Failure {
        let line = ProblemLine {
            code: code.to_owned(),
            level: "error".to_owned(),
            path: None,
            line: None,
            column: None,
            span: None,
            message: message.into(),
            help: None,
            fix: None,
            dropped_by: Vec::new(),
        };
        Failure { status, line, retry_after: None }
    }

    /// Says what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Failure {
        self.line.help = Some(help.into());
        self
    }

    /// Says after how many seconds to try again.
    #[must_use]
    pub(crate) fn retry_after(mut self, seconds: u32) -> Failure {
        self.retry_after = Some(seconds);
        self
    }

    /// Returns the same without what `hide` takes out of the finding.
    #[must_use]
    pub(crate) fn hidden(mut self, hide: impl Fn(&mut ProblemLine)) -> Failure {
        hide(&mut self.line);
        self
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the finding.
    pub fn line(&self) -> &ProblemLine {
        &self.line
    }

    /// Makes the response, with the id of the request that it answers.
    pub fn response(&self, id: Option<&RequestId>) -> Response {
        let error = ErrorLine { problem: self.line.clone(), request_id: id.map(|id| id.0.to_string()) };
        let mut response = (self.status, Json(ErrorAnswer { error })).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.response(None);
        // Whoever knows the request's id makes the response again.
        response.extensions_mut().insert(self);
        response
    }
}

/// Names the request in a failure that comes from further in, and keeps paths from whoever is elsewhere.
pub(crate) async fn name_failures(State(hide): State<Hide>, request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let peer = request.extensions().get::<Peer>().copied().unwrap_or_default();
    let mut response = next.run(request).await;
    let Some(mut failure) = response.extensions_mut().remove::<Failure>() else { return response };
    if peer == Peer::Remote {
        hide(&mut failure.line);
    }
    let mut named = failure.response(id.as_ref());
    // What was added on the way, such as the methods that are allowed, stays.
    let added = response.headers().iter().filter(|(name, _)| !named.headers().contains_key(*name));
    let added: Vec<_> = added.map(|(name, value)| (name.clone(), value.clone())).collect();
    named.headers_mut().extend(added);
    named
}

impl From<Unavailable> for Failure {
    fn from(unavailable: Unavailable) -> Failure {
        let code = match unavailable {
            Unavailable::Busy => "busy",
            Unavailable::Stopping => "stopping",
            Unavailable::Failed => {
                return Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", unavailable.to_string());
            }
        };
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, code, unavailable.to_string()).retry_after(1)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match error.kind() {
            ErrorKind::Invalid => StatusCode::BAD_REQUEST,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::Forbidden => StatusCode::FORBIDDEN,
            ErrorKind::Conflict => StatusCode::CONFLICT,
            ErrorKind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorKind::Failed => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let mut failure = Failure::new(status, &error.word(), error.summary());
        // Where the next step is a request, it is this face's to name.
        failure.line.help = match &error {
            Error::Workspace(WorkspaceError::Host(_)) => Some("`GET /v1/hosts` names those that are known".to_owned()),
            Error::UnknownSkill { near: None, .. } => Some("`GET /v1/skills` lists those that count".to_owned()),
            _ => error.help(),
        };
        if error.kind() == ErrorKind::Unavailable {
            failure.retry_after = Some(60);
        }
        failure
    }
}
