//! Errors as every HTTP route answers them: a finding like the command line's, with the id of the request.

use std::{sync::Arc, time::Duration};

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use openoxide_app::{Code, Error, ErrorKind, WorkspaceError};
use openoxide_wire::ProblemLine;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Unavailable;

/// The id of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(pub Arc<str>);

/// Where a request comes from, as the listener knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Peer {
    /// From this machine.
    Local,
    /// From another machine, or unknown: such a client sees no absolute paths and cannot name folders.
    #[default]
    Remote,
}

/// Why a request is not answered.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    pub(crate) line: ProblemLine,
    /// The code of the finding behind it.
    diagnostic: Option<&'static str>,
    retry_after: Option<u64>,
}

/// The result of a route, or of a step on the way to its response.
pub(crate) type Result<T = Response, E = Failure> = std::result::Result<T, E>;

/// The body of every error.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ErrorAnswer {
    /// What is wrong.
    error: ErrorLine,
}

/// What is wrong with a request.
#[derive(Serialize, JsonSchema)]
struct ErrorLine {
    /// The finding; its code is a word that is the same on every face.
    #[serde(flatten)]
    problem: ProblemLine,
    /// The code of the finding behind it, where the status of a skill is the reason; `openoxide explain` knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostic: Option<&'static str>,
    /// What the log calls the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

impl Failure {
    /// Makes a failure; `code` is a word that does not change.
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Failure {
        let (code, level, message) = (code.to_owned(), "error".to_owned(), message.into());
        let line = ProblemLine { code, level, message, ..ProblemLine::default() };
        Failure { status, line, diagnostic: None, retry_after: None }
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Failure {
        self.line.help = Some(help.into());
        self
    }

    /// Says when the same request can be answered. Where that depends on others, nothing is said.
    #[must_use]
    pub(crate) fn retry_after(mut self, time: Duration) -> Failure {
        self.retry_after = Some(whole_seconds(time));
        self
    }

    /// Makes the response, with the id of the request that it answers.
    pub(crate) fn response(&self, id: Option<&RequestId>) -> Response {
        let error = ErrorLine {
            problem: self.line.clone(),
            diagnostic: self.diagnostic,
            request_id: id.map(|id| id.0.to_string()),
        };
        let mut response = (self.status, Json(ErrorAnswer { error })).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Returns the seconds after which a time is over.
pub(crate) fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.response(None);
        // The layer that knows the request's id makes the response again.
        response.extensions_mut().insert(self);
        response
    }
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
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, code, unavailable.to_string())
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
        let mut failure = Failure::new(status, error.word(), error.summary());
        failure.diagnostic = error.code().map(Code::as_str);
        // Only this face can name a request as the next step.
        failure.line.help = match &error {
            Error::Workspace(WorkspaceError::Host(_)) => Some("`GET /v1/hosts` names those that are known".to_owned()),
            Error::UnknownSkill { near: None, .. } => Some("`GET /v1/skills` lists those that are active".to_owned()),
            _ => error.help(),
        };
        failure
    }
}
