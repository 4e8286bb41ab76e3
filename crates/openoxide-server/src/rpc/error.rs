//! Errors of JSON-RPC: a number, a sentence, and for programs a word and the next step.

use openoxide_app::{Error, ErrorKind};
use serde::Serialize;

use crate::Unavailable;

// The codes of JSON-RPC.
const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
const NO_METHOD: i64 = -32601;
const PARAMS: i64 = -32602;
const INTERNAL: i64 = -32603;
// Our own codes.
const BUSY: i64 = -32001;
const NOT_SUPPORTED: i64 = -32002;
const REFUSED: i64 = -32003;

/// The result of a method, or of a step on the way to it.
pub(super) type Result<T, E = RpcError> = std::result::Result<T, E>;

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct RpcError {
    code: i64,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<ErrorData>,
}

/// What programs can act on.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ErrorData {
    /// What is wrong, as a word that does not change.
    problem: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl RpcError {
    fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError { code, message: message.into(), data: None }
    }

    pub(super) fn not_json(error: &serde_json::Error) -> RpcError {
        RpcError::new(PARSE, format!("Parse error: {error}"))
    }

    pub(super) fn too_long(most: usize) -> RpcError {
        RpcError::new(INVALID, format!("Invalid request: the line is longer than {most} bytes"))
            .problem("too-long", None)
    }

    /// Refuses JSON that is no request.
    pub(super) fn invalid(what: impl std::fmt::Display) -> RpcError {
        RpcError::new(INVALID, format!("Invalid request: {what}"))
    }

    /// Refuses a request that comes at the wrong time.
    pub(super) fn untimely(message: &str) -> RpcError {
        RpcError::new(INVALID, message)
    }

    pub(super) fn no_method(method: &str) -> RpcError {
        let shown: String = method.chars().take(100).collect();
        RpcError::new(NO_METHOD, format!("there is no method `{shown}`"))
    }

    /// Refuses parameters that can be read and do not make sense.
    pub(super) fn params(message: impl Into<String>) -> RpcError {
        RpcError::new(PARAMS, message)
    }

    pub(super) fn not_supported(method: &str) -> RpcError {
        let message = format!("`{method}` is not supported yet");
        let help = "put the skill's folder below one of the folders that `skills/roots` answers";
        RpcError::new(NOT_SUPPORTED, message).problem("not-supported", Some(help.to_owned()))
    }

    /// Says no to a request that makes sense.
    pub(super) fn refused(problem: impl Into<String>, message: String, help: Option<String>) -> RpcError {
        RpcError::new(REFUSED, message).problem(problem, help)
    }

    fn problem(mut self, problem: impl Into<String>, help: Option<String>) -> RpcError {
        self.data = Some(ErrorData { problem: problem.into(), help });
        self
    }
}

impl From<Unavailable> for RpcError {
    fn from(error: Unavailable) -> RpcError {
        let problem = match error {
            Unavailable::Busy => "busy",
            Unavailable::Stopping => "stopping",
            Unavailable::Failed => return RpcError::new(INTERNAL, error.to_string()),
        };
        RpcError::new(BUSY, error.to_string()).problem(problem, None)
    }
}

impl From<serde_json::Error> for RpcError {
    fn from(error: serde_json::Error) -> RpcError {
        RpcError::new(INTERNAL, format!("the answer cannot be written: {error}"))
    }
}

impl From<Error> for RpcError {
    fn from(error: Error) -> RpcError {
        let code = match error.kind() {
            ErrorKind::Invalid => PARAMS,
            ErrorKind::Unavailable => BUSY,
            ErrorKind::Internal => INTERNAL,
            _ => REFUSED,
        };
        RpcError::new(code, error.summary()).problem(error.word(), error.help())
    }
}
