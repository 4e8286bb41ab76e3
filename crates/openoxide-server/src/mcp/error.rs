//! Errors of the protocol.

use openoxide_app::{Error, ErrorKind};
use rmcp::{ErrorData, RoleServer, service::RequestContext};
use serde_json::json;

use crate::Unavailable;

/// The result of answering an MCP request.
pub(super) type Result<T, E = ErrorData> = std::result::Result<T, E>;

/// The context of an MCP request.
pub(super) type Context = RequestContext<RoleServer>;

/// Says that something that was asked for is not there, or not like that.
pub(super) fn invalid(text: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(text.into(), None)
}

pub(super) fn no_resource(uri: &str) -> ErrorData {
    let text = format!("no file of a skill is served at {}", shortened(uri));
    ErrorData::resource_not_found(text, Some(serde_json::json!({ "uri": shortened(uri) })))
}

pub(super) fn unavailable(error: Unavailable) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Says why a use case has no answer, with its stable word for programs. A model reads it, also where the client acts for the user.
pub(super) fn failed(error: Error) -> ErrorData {
    let error = error.for_programs();
    let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
    let (text, mut data) = (format!("{}{help}", error.summary()), serde_json::json!({ "problem": error.word() }));
    if let Some(code) = error.code() {
        data["diagnostic"] = code.as_str().into();
    }
    match error.kind() {
        ErrorKind::Unavailable | ErrorKind::Internal => ErrorData::internal_error(text, Some(data)),
        _ => ErrorData::invalid_params(text, Some(data)),
    }
}

/// Says that something failed that should not.
pub(super) fn internal(text: impl Into<String>) -> ErrorData {
    ErrorData::internal_error(text.into(), None)
}

/// Repeats the client's text, which may have any length, in short.
pub(super) fn shortened(text: &str) -> String {
    const REPEATED: usize = 200;
    cut(openoxide_app::TerminalText(text).to_string(), REPEATED)
}

/// Cuts a text after so many characters.
pub(super) fn cut(text: String, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The word for what waits for the user's approval.
pub(super) const NEEDS_APPROVAL: &str = "needs-approval";

/// Says that a request waits for the user's approval.
pub(super) fn waits(text: String) -> ErrorData {
    ErrorData::invalid_params(text, Some(json!({ "problem": NEEDS_APPROVAL })))
}
