//! Keeps operations that need the user's answer, and answers their questions, each under a handle that cannot be guessed.

use std::sync::Arc;

use axum::response::IntoResponse;
use http::StatusCode;
use openoxide_app::{ANSWER_TIME, Error, PendingError, Question, Snapshot, path_text, question_line};
use openoxide_wire::{QuestionLine, SchemaVersion};
use schemars::JsonSchema;
use serde::Serialize;

use super::{HttpContext, Result};
use crate::{Conversation, Failure, Peer, PendingOperation, PendingWork};

/// An activation that needs an answer of the user.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WaitingAnswer {
    /// The version of the format.
    schema: SchemaVersion,
    /// What the activation is called: the answer goes to `/v1/activations/{handle}`.
    handle: String,
    /// For how many seconds it waits.
    expires_in: u64,
    /// What the user must decide.
    question: QuestionLine,
    /// The next step.
    help: String,
}

/// Keeps an operation until the user's answer comes, and answers the question.
pub(crate) fn ask(
    context: &HttpContext,
    snapshot: &Arc<Snapshot>,
    work: PendingWork,
    session: Conversation,
    question: Question,
) -> Result {
    if context.is_head {
        // Nobody gets the handle, so nothing waits under one.
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    let line = QuestionLine { choices: choices(&question), ..question_line(&question) };
    let (kind, begun) = (work.kind(), Arc::clone(snapshot));
    let waiting = PendingOperation { work, question, snapshot: begun, session, request: None, unasked: Vec::new() };
    let handle = context.engine.pending.insert(kind, waiting).map_err(not_pending)?;
    let (schema, expires_in) = (SchemaVersion::default(), ANSWER_TIME.as_secs());
    let help = format!(
        "ask the user, and send `{{\"answer\": CHOICE}}` with POST to /v1/activations/{handle}; a yes needs {}",
        proof(context)
    );
    let waiting = WaitingAnswer { schema, handle, expires_in, question: line, help };
    context.json(StatusCode::ACCEPTED, snapshot, &waiting)
}

pub(crate) fn not_pending(error: PendingError) -> Failure {
    let failure = Failure::from(Error::from(error));
    match error {
        PendingError::Full => failure.retry_after(30),
        PendingError::NoRandomness => failure.retry_after(1),
        PendingError::Unknown => failure,
    }
}

/// Returns the answers that make sense; every call is a conversation of its own.
pub(crate) fn choices(question: &Question) -> Vec<String> {
    question.offered(false).into_iter().map(|choice| choice.as_str().to_owned()).collect()
}

/// Says how a client shows the token, and to a local client, where the token is.
pub(crate) fn proof(context: &HttpContext) -> String {
    let file = context.http.options.token_file.as_ref().filter(|_| context.peer == Peer::Local);
    let file = file.map(|file| format!("; the token is in {}", path_text(file))).unwrap_or_default();
    format!("`Authorization: Bearer TOKEN`{file}")
}
