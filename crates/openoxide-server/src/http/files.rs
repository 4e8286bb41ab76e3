//! Files of skills over HTTP. What a rule asks about waits for its answer as an activation does.

use std::sync::Arc;

use axum::response::Response;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};
use openoxide_app::read::{self, ReadInput};
use openoxide_app::{
    Audience, Error, FileStamps, ReadForm, ReadOutcome, ReadPart, Reading, Reply, ResourceAnswer, ResourceBytes,
    ResourceContent, SkillFile, SkillRef, Snapshot,
};
use openoxide_wire::CallerInput;
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{HttpContext, Location, PathSegments, Query};
use super::response::EncodedResponse;
use super::response_cache::{CacheKey, CachedResponse, Dependencies};
use super::waiting::ask;
use crate::answer::Failure;
use crate::conversation::Conversation;
use crate::drive::Progress;
use crate::observe::audit::{Action, Decision};
use crate::pending_operation::PendingWork;

/// The largest file that is cached, in bytes.
const CACHED_MAX: usize = 64 * 1024;

/// Who reads.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadQuery {
    #[serde(flatten)]
    at: Location,
    /// Who asks: what they may not call, they may not read.
    #[serde(default, rename = "as")]
    who: CallerInput,
}

pub(crate) async fn top(
    context: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<ReadQuery>,
) -> Result<Response, Failure> {
    begin(context, id, ReadPart::Listing, query).await
}

pub(crate) async fn file(
    context: HttpContext,
    PathSegments((id, path)): PathSegments<(String, String)>,
    Query(query): Query<ReadQuery>,
) -> Result<Response, Failure> {
    begin(context, id, ReadPart::Path(path), query).await
}

async fn begin(context: HttpContext, id: String, part: ReadPart, query: ReadQuery) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    let caller = query.who.into();
    let form = if context.wants_json() { ReadForm::Text } else { ReadForm::Bytes };
    let key = match &part {
        ReadPart::Path(path) if form == ReadForm::Bytes => {
            Some(CacheKey::new(&state, "file", id.clone(), context.peer).used_by(caller, Some(path.clone())))
        }
        _ => None,
    };
    if let Some(hit) = key.as_ref().and_then(|key| context.http.cache().get(key)) {
        let path = if let ReadPart::Path(path) = &part { Some(path.as_str()) } else { None };
        context.engine.note(Action::Read, &hit.skill, None, path, Decision::Allow);
        return Ok(sent(&context, &hit.response));
    }
    let stamps = match &key {
        Some(_) => {
            let (snapshot, id, part) = (Arc::clone(&state), id.clone(), part.clone());
            context.work(move || Ok(FileStamps::take(&snapshot, &id, &part, caller))).await?
        }
        None => None,
    };
    let path = if let ReadPart::Path(path) = &part { Some(path.clone()) } else { None };
    let input = ReadInput { skill: SkillRef::Id(id.clone()), part, caller, form, audience: Audience::Program };
    let reading = Box::new(read::read(&state, input).inspect_err(|error| {
        // A request that names no skill is noted too.
        context.engine.note(Action::Read, &id, None, path.as_deref(), Decision::Deny(error.word()));
    })?);
    let session = Conversation::default();
    let progress = context.engine.advance(&state, reading, &session, Reply::Begin).await?;
    if let (Progress::Done(_, outcome), Some(key), Some(FileStamps { file, stamps })) = (&progress, key, stamps)
        && let Some(response) = encoded_bytes(&state, outcome)?.filter(|it| it.bytes.len() <= CACHED_MAX)
    {
        let cached = CachedResponse { response: response.clone(), skill: outcome.skill.clone(), digest: None };
        context.http.cache().insert(key, Dependencies::File(stamps, file), cached);
        return Ok(sent(&context, &response));
    }
    answered(&context, &state, session, progress)
}

/// Goes on with a reading that waited for an answer.
pub(crate) async fn proceed(
    context: &HttpContext,
    state: &Arc<Snapshot>,
    reading: Box<Reading>,
    session: Conversation,
    reply: Reply,
) -> Result<Response, Failure> {
    let progress = context.engine.advance(state, reading, &session, reply).await?;
    answered(context, state, session, progress)
}

fn answered(
    context: &HttpContext,
    state: &Arc<Snapshot>,
    session: Conversation,
    progress: Progress<Reading>,
) -> Result<Response, Failure> {
    let outcome = match progress {
        Progress::Asks(reading, question) => {
            return ask(context, state, PendingWork::Read(reading), session, question);
        }
        Progress::Done(_, outcome) => outcome,
    };
    if let Some(ready) = encoded_bytes(state, &outcome)? {
        return Ok(sent(context, &ready));
    }
    let answer = read::answer(state, &outcome);
    match outcome.result {
        Ok(_) => Ok(sent(context, &EncodedResponse::json(&answer, context.peer, Some(state))?)),
        Err(refusal) => Err(Error::from(refusal).into()),
    }
}

/// Encodes a file whose bytes were asked for.
fn encoded_bytes(snapshot: &Snapshot, outcome: &ReadOutcome) -> Result<Option<EncodedResponse>, Failure> {
    let Ok(ResourceAnswer {
        found: ResourceContent::File(SkillFile { bytes: ResourceBytes::Binary(bytes), path, .. }),
        ..
    }) = &outcome.result
    else {
        return Ok(None);
    };
    Ok(Some(EncodedResponse::new(bytes.clone(), content_type(snapshot, path, bytes)?)))
}

fn sent(context: &HttpContext, ready: &EncodedResponse) -> Response {
    let mut response = ready.send(&context.headers);
    // A page that comes with a skill is nothing of ours: it runs nothing, and reaches nothing.
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    headers.insert(VARY, HeaderValue::from_static("accept, accept-encoding"));
    debug_assert!(headers.contains_key(CONTENT_TYPE) || response.status() == StatusCode::NOT_MODIFIED);
    response
}

/// Returns the `Content-Type` of a file.
fn content_type(snapshot: &Snapshot, path: &str, bytes: &[u8]) -> Result<HeaderValue, Failure> {
    let kind = read::media_type(snapshot, path, bytes)?;
    let kind = match kind.starts_with("text/") && !kind.contains("charset") {
        true => HeaderValue::try_from(format!("{kind}; charset=utf-8")),
        false => HeaderValue::try_from(&*kind),
    };
    Ok(kind.unwrap_or(HeaderValue::from_static("application/octet-stream")))
}
