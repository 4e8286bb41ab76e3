//! Reads files of skills. A read that needs an answer of the user waits for it as an activation does.

use std::sync::Arc;

use axum::response::Response;
use http::header::{CONTENT_TYPE, VARY};
use http::{HeaderValue, StatusCode};
use openoxide_app::read::{self, ReadInput};
use openoxide_app::{
    Audience, Error, FileStamps, ReadForm, ReadOutcome, ReadPart, Reading, ResourceAnswer, ResourceBytes,
    ResourceContent, SkillRef, Snapshot,
};
use openoxide_wire::CallerInput;
use schemars::JsonSchema;
use serde::Deserialize;

use super::response::sandboxed;
use super::waiting::ask;
use super::{CacheKey, CachedResponse, Dependencies, EncodedResponse, HttpContext, Location, Path, Query, Result};
use crate::{Action, Conversation, Decision, PendingWork, Progress};

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

pub(crate) async fn top(context: HttpContext, Path(id): Path<String>, Query(query): Query<ReadQuery>) -> Result {
    begin(context, id, None, query).await
}

pub(crate) async fn file(
    context: HttpContext,
    Path((id, path)): Path<(String, String)>,
    Query(query): Query<ReadQuery>,
) -> Result {
    begin(context, id, Some(path), query).await
}

async fn begin(context: HttpContext, id: String, path: Option<String>, query: ReadQuery) -> Result {
    let snapshot = context.snapshot(&query.at).await?;
    let caller = query.who.into();
    let form = if context.wants_json() { ReadForm::Text } else { ReadForm::Bytes };
    let cached = path.clone().filter(|_| form == ReadForm::Bytes);
    let key = cached.map(|path| CacheKey::new(&snapshot, "file", id.clone(), context.peer).used_by(caller, Some(path)));
    if let Some(hit) = key.as_ref().and_then(|key| context.http.cache.get(key)) {
        context.engine.note(Action::Read, &hit.cached.skill, None, path.as_deref(), Decision::Allow);
        return Ok(sent(&context, &hit.cached.response));
    }
    let part = path.clone().map_or(ReadPart::Listing, ReadPart::Path);
    let stamps = match &key {
        Some(_) => {
            let (snapshot, id, part) = (Arc::clone(&snapshot), id.clone(), part.clone());
            context.work(move || Ok(FileStamps::take(&snapshot, &id, &part, caller))).await?
        }
        None => None,
    };
    let input = ReadInput { skill: SkillRef::Id(id.clone()), part, caller, form, audience: Audience::Program };
    let reading = read::read(&snapshot, input).inspect_err(|error| {
        // A request that names no skill is noted too.
        context.engine.note(Action::Read, &id, None, path.as_deref(), Decision::Deny(error.word().to_owned()));
    })?;
    let session = Conversation::default();
    let progress = context.engine.begin(&snapshot, reading, &session).await?;
    if let (Progress::Done(_, outcome), Some(key), Some(FileStamps { file, stamps })) = (&progress, key, stamps)
        && let Some(response) = encoded_bytes(outcome).filter(|it| it.bytes.len() <= CACHED_MAX)
    {
        let cached = CachedResponse { response: response.clone(), skill: outcome.skill.clone(), digest: None };
        context.http.cache.insert(key, Dependencies::File(stamps, file), cached);
        return Ok(sent(&context, &response));
    }
    answered(&context, &snapshot, session, progress)
}

/// Answers with what was read, or with what the user must decide first.
pub(crate) fn answered(
    context: &HttpContext,
    snapshot: &Arc<Snapshot>,
    session: Conversation,
    progress: Progress<Reading>,
) -> Result {
    let outcome = match progress {
        Progress::Asks(reading, question) => {
            return ask(context, snapshot, PendingWork::Read(reading), session, question);
        }
        Progress::Done(_, outcome) => outcome,
    };
    if let Some(ready) = encoded_bytes(&outcome) {
        return Ok(sent(context, &ready));
    }
    let answer = read::answer(snapshot, &outcome);
    match outcome.result {
        Ok(_) => Ok(sent(context, &EncodedResponse::json(&answer, context.peer, Some(snapshot))?)),
        Err(refusal) => Err(Error::from(refusal).into()),
    }
}

/// Encodes a file whose bytes were asked for.
fn encoded_bytes(outcome: &ReadOutcome) -> Option<EncodedResponse> {
    let Ok(ResourceAnswer { found: ResourceContent::File(file), content_type, .. }) = &outcome.result else {
        return None;
    };
    match &file.bytes {
        ResourceBytes::Binary(bytes) => Some(EncodedResponse::skill_file(bytes.clone(), content_type)),
        ResourceBytes::Text { .. } => None,
    }
}

fn sent(context: &HttpContext, ready: &EncodedResponse) -> Response {
    let mut response = sandboxed(ready.send(&context.headers));
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept, accept-encoding"));
    debug_assert!(headers.contains_key(CONTENT_TYPE) || response.status() == StatusCode::NOT_MODIFIED);
    response
}
