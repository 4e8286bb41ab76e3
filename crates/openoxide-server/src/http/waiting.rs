//! Keeps operations that need the user's answer, and answers their questions, each under a handle that cannot be guessed.

use std::sync::Arc;

use axum::response::IntoResponse;
use http::StatusCode;
use openoxide_app::{Choice, Pending, PendingError, Question, Snapshot, path_text, question_line};
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
    let (schema, expires_in) = (SchemaVersion::default(), Pending::<PendingOperation>::PATIENCE.as_secs());
    let help = format!(
        "ask the user, and send `{{\"answer\": CHOICE}}` with POST to /v1/activations/{handle}; a yes needs {}",
        proof(context)
    );
    let waiting = WaitingAnswer { schema, handle, expires_in, question: line, help };
    context.json(StatusCode::ACCEPTED, snapshot, &waiting)
}

pub(crate) fn not_pending(error: PendingError) -> Failure {
    let unavailable = |code| Failure::new(StatusCode::SERVICE_UNAVAILABLE, code, error.to_string());
    match error {
        PendingError::Full => unavailable("busy").retry_after(30),
        PendingError::NoRandomness => unavailable("no-randomness").retry_after(1),
        PendingError::Unknown => Failure::new(StatusCode::NOT_FOUND, "no-activation", error.to_string())
            .help("it was answered, dropped or waited too long: call the skill again"),
    }
}

/// Returns the answers that make sense. Every call is a conversation of its own, so none can be remembered for one.
pub(crate) fn choices(question: &Question) -> Vec<String> {
    let choices = question.choices().iter().copied().filter(|choice| *choice != Choice::Session);
    choices.map(Choice::as_str).map(str::to_owned).collect()
}

/// Says how a client shows the token, and to a local client, where the token is.
pub(crate) fn proof(context: &HttpContext) -> String {
    let file = context.http.options.token_file.as_ref().filter(|_| context.peer == Peer::Local);
    let file = file.map(|file| format!("; the token is in {}", path_text(file))).unwrap_or_default();
    format!("`Authorization: Bearer TOKEN`{file}")
}
