//! Keeps operations that need the user's answer, and answers their questions, each under a handle that cannot be guessed.

use std::sync::Arc;

use axum::response::IntoResponse;
use http::StatusCode;
use openoxide_app::{ANSWER_TIME, Error, PendingError, Question, Snapshot, question_line};
use openoxide_wire::{QuestionLine, SchemaVersion};
use schemars::JsonSchema;
use serde::Serialize;

use super::{HttpContext, Result};
use crate::{Asked, Conversation, Failure, Identity, PendingOperation, PendingWork};

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
    (session, asked): (Conversation, Asked),
    question: &Question,
) -> Result {
    if context.is_head {
        // Nobody gets the handle, so nothing waits under one.
        return Ok(StatusCode::ACCEPTED.into_response());
    }
    let (begun, unasked) = (Arc::clone(snapshot), Vec::new());
    let waiting =
        PendingOperation { work, question: question.clone(), snapshot: begun, session, asked, answer: None, unasked };
    let handle = waiting.wait(&context.engine.pending).map_err(not_pending)?;
    open(context, snapshot, handle, question)
}

/// Answers an open question.
pub(crate) fn open(context: &HttpContext, snapshot: &Snapshot, handle: String, question: &Question) -> Result {
    let line = QuestionLine { choices: choices(question), ..question_line(question) };
    let (schema, expires_in) = (SchemaVersion::default(), ANSWER_TIME.as_secs());
    let help = match context.identity {
        Identity::Person => format!("send `{{\"answer\": CHOICE}}` with POST to /v1/activations/{handle}"),
        _ => format!(
            "the user answers on the server's page, then send the same request again: {}",
            context.how_to_approve()
        ),
    };
    let waiting = WaitingAnswer { schema, handle, expires_in, question: line, help };
    context.json(StatusCode::ACCEPTED, snapshot, &waiting)
}

pub(crate) fn not_pending(error: PendingError) -> Failure {
    let failure = Failure::from(Error::from(error));
    match error {
        PendingError::ShareFull(time) | PendingError::Full(time) => failure.retry_after(time),
        PendingError::TooLarge | PendingError::NoRandomness | PendingError::Unknown => failure,
    }
}

/// Returns the answers that make sense; every call is a conversation of its own.
pub(crate) fn choices(question: &Question) -> Vec<String> {
    question.offered(false).into_iter().map(|choice| choice.as_str().to_owned()).collect()
}
