//! Answers with what came of a call or a reading, or with what the user must decide first.

use std::sync::Arc;

use axum::response::Response;
use http::header::{CONTENT_TYPE, VARY};
use http::{HeaderValue, StatusCode};
use openoxide_app::activate::{self, Activate};
use openoxide_app::{
    Answer, Error, ErrorKind, OpenFile, ReadOutcome, Reading, Refusal, ResourceAnswer, ResourceBytes, ResourceContent,
    Snapshot, read,
};

use super::response::sandboxed;
use super::waiting::{self, ask};
use super::{EncodedResponse, HttpContext, Redactor, Result, streamed_file};
use crate::{Asked, Conversation, Earlier, Failure, Peer, PendingOperation, PendingWork, Progress};

/// Answers a request that was made before: with its question, or with what comes of the user's answer to it.
pub(crate) async fn go_on(context: &HttpContext, snapshot: &Snapshot, earlier: Earlier) -> Result {
    match earlier {
        Earlier::Open(handle, question) => waiting::open(context, snapshot, handle, &question),
        Earlier::Answered(waiting, answer) => resume(context, *waiting, answer).await,
    }
}

pub(crate) async fn resume(context: &HttpContext, waiting: PendingOperation, answer: Answer) -> Result {
    let PendingOperation { work, mut snapshot, session, asked, .. } = waiting;
    match work {
        PendingWork::Activate(operation) => {
            let progress = context.engine.answer(&mut snapshot, operation, &session, answer).await??;
            activated(context, &snapshot, (session, asked), progress)
        }
        PendingWork::Read(reading) => {
            let progress = context.engine.answer(&mut snapshot, reading, &session, answer).await??;
            read_done(context, &snapshot, (session, asked), progress)
        }
    }
}

/// Answers with the outcome of an activation, or with what the user must decide first.
pub(crate) fn activated(
    context: &HttpContext,
    snapshot: &Arc<Snapshot>,
    whose: (Conversation, Asked),
    progress: Progress<Activate>,
) -> Result {
    match progress {
        Progress::Asks(operation, question) => {
            ask(context, snapshot, PendingWork::Activate(operation), whose, &question)
        }
        Progress::Done(operation, done) => match done.refused.first() {
            Some(refusal) if done.activated.is_empty() => Err(refused(context, snapshot, refusal)),
            _ => context.json(StatusCode::OK, snapshot, &operation.answer(&done)),
        },
    }
}

/// Says why nothing was activated.
fn refused(context: &HttpContext, snapshot: &Snapshot, refusal: &Refusal) -> Failure {
    let mut failure = Failure::from(activate::refused(snapshot, refusal));
    if context.peer == Peer::Remote {
        Redactor::new(snapshot).redact_problem(&mut failure.line);
    }
    failure
}

/// Answers with what was read, or with what the user must decide first.
pub(crate) fn read_done(
    context: &HttpContext,
    snapshot: &Arc<Snapshot>,
    whose: (Conversation, Asked),
    progress: Progress<Reading>,
) -> Result {
    let outcome = match progress {
        Progress::Asks(reading, question) => {
            return ask(context, snapshot, PendingWork::Read(reading), whose, &question);
        }
        Progress::Done(_, outcome) => outcome,
    };
    if let Some(ready) = encoded_bytes(&outcome) {
        return Ok(sent(context, &ready));
    }
    if let Some((file, content_type)) = open_file(&outcome) {
        let response = streamed_file::send(file, content_type, &context.headers);
        let unreadable = |_| Failure::from(Error::other(ErrorKind::Failed, "unreadable", "the file cannot be read"));
        return Ok(of_file(response.map_err(unreadable)?));
    }
    let answer = read::answer(snapshot, &outcome);
    match outcome.result {
        Ok(_) => Ok(sent(context, &EncodedResponse::json(&answer, context.peer, Some(snapshot))?)),
        Err(refusal) => Err(Error::from(refusal).into()),
    }
}

/// Encodes a file whose bytes were asked for.
pub(crate) fn encoded_bytes(outcome: &ReadOutcome) -> Option<EncodedResponse> {
    let Ok(ResourceAnswer { found: ResourceContent::File(file), content_type, .. }) = &outcome.result else {
        return None;
    };
    match &file.bytes {
        ResourceBytes::Binary(bytes) => Some(EncodedResponse::skill_file(bytes.clone(), content_type)),
        ResourceBytes::Text { .. } | ResourceBytes::Open(_) => None,
    }
}

/// Returns a file that is too large to be held, and its type.
fn open_file(outcome: &ReadOutcome) -> Option<(&OpenFile, &str)> {
    let Ok(ResourceAnswer { found: ResourceContent::File(file), content_type, .. }) = &outcome.result else {
        return None;
    };
    if let ResourceBytes::Open(open) = &file.bytes { Some((open, content_type)) } else { None }
}

pub(crate) fn sent(context: &HttpContext, ready: &EncodedResponse) -> Response {
    of_file(ready.send(&context.headers))
}

/// Adds what goes with every file of a skill.
fn of_file(response: Response) -> Response {
    let mut response = sandboxed(response);
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept, accept-encoding"));
    debug_assert!(headers.contains_key(CONTENT_TYPE) || response.status() == StatusCode::NOT_MODIFIED);
    response
}
