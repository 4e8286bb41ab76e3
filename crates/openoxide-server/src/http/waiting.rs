//! Keeps operations that need the user's answer, and answers their questions, each under a handle that cannot be guessed.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use openoxide_app::{Choice, Pending, PendingError, Question, Snapshot, path_text, question_line};
use openoxide_wire::{QuestionLine, SchemaVersion};
use schemars::JsonSchema;
use serde::Serialize;

use super::extract::HttpContext;
use crate::answer::{Failure, Peer};
use crate::conversation::Conversation;
use crate::pending_operation::{PendingOperation, PendingWork};

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
    state: &Arc<Snapshot>,
    work: PendingWork,
    session: Conversation,
    question: Question,
) -> Result<Response, Failure> {
    if context.is_head {
        // Nobody gets the handle, so nothing waits under one.
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    let line = QuestionLine { choices: choices(&question), ..question_line(&question) };
    let (kind, snapshot) = (work.kind(), Arc::clone(state));
    let waiting = PendingOperation { work, question, snapshot, session, request: None, unasked: Vec::new() };
    let handle = context.engine.pending().insert(kind, waiting).map_err(not_pending)?;
    let (schema, expires_in) = (SchemaVersion::default(), Pending::<PendingOperation>::PATIENCE.as_secs());
    let help = format!(
        "ask the user, and send `{{\"answer\": CHOICE}}` with POST to /v1/activations/{handle}; a yes needs {}",
        proof(context)
    );
    let waiting = WaitingAnswer { schema, handle, expires_in, question: line, help };
    context.json(StatusCode::ACCEPTED, state, &waiting)
}

pub(crate) fn not_pending(error: PendingError) -> Failure {
    match error {
        PendingError::Full => Failure::new(StatusCode::SERVICE_UNAVAILABLE, "busy", error.to_string()).retry_after(30),
        PendingError::NoRandomness => {
            Failure::new(StatusCode::SERVICE_UNAVAILABLE, "no-randomness", error.to_string()).retry_after(1)
        }
        PendingError::Unknown => Failure::new(StatusCode::NOT_FOUND, "no-activation", error.to_string())
            .help("it was answered, dropped or waited too long: call the skill again"),
    }
}

/// Returns the answers that make sense. Every call is a conversation of its own, so there is none to remember one for.
pub(crate) fn choices(question: &Question) -> Vec<String> {
    let choices = question.choices().iter().copied().filter(|choice| *choice != Choice::Session);
    choices.map(Choice::as_str).map(str::to_owned).collect()
}

/// Says how the token is shown, and to whoever is here, where it is.
pub(crate) fn proof(context: &HttpContext) -> String {
    let file = context.http.options().token_file.as_ref().filter(|_| context.peer == Peer::Local);
    let file = file.map(|file| format!("; the token is in {}", path_text(file))).unwrap_or_default();
    format!("`Authorization: Bearer TOKEN`{file}")
}
