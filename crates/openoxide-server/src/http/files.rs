//! Reads files of skills. A read that needs an answer of the user waits for it as an activation does.

use std::sync::Arc;

use openoxide_app::read::{self, ReadInput};
use openoxide_app::{Audience, FileStamps, HELD_MAX, READ_MAX, ReadForm, ReadPart, SkillRef};
use openoxide_wire::CallerInput;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::outcome::{encoded_bytes, go_on, read_done, sent};
use super::{CacheKey, CachedResponse, Dependencies, HttpContext, Location, Path, Query, Result};
use crate::{Action, Conversation, Decision, Earlier, Progress};

/// The largest file that is cached, in bytes.
const CACHED_MAX: usize = 64 * 1024;

/// The length from which a text is read alone, in bytes: with escapes and as JSON it is several times as much.
const ALONE_MIN: u64 = 4 * 1024 * 1024;

/// Who reads.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadQuery {
    #[serde(flatten)]
    at: Location,
    /// Who reads: what they may not call, they may not read. Only the user reads as the user. Absent: the user if it is
    /// them, or else the model.
    #[serde(default, rename = "as")]
    who: Option<CallerInput>,
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
    let caller = context.caller(query.who)?;
    let form = if context.wants_json() { ReadForm::Text } else { ReadForm::BytesOrFile };
    let cached = path.clone().filter(|_| form != ReadForm::Text);
    let key = cached.map(|path| CacheKey::new(&snapshot, "file", id.clone(), context.peer).used_by(caller, Some(path)));
    if let Some(hit) = key.as_ref().and_then(|key| context.http.cache.get(key)) {
        context.engine.note(Action::Read, &hit.cached.skill, None, path.as_deref(), Decision::Allow);
        return Ok(sent(&context, &hit.cached.response));
    }
    let details = json!([caller.as_str(), path, form != ReadForm::Text]);
    let asked = context.asked("read", &id, &snapshot.place, &details);
    if !context.is_head
        && let Some(earlier) = Earlier::find(&context.engine.pending, &asked)
    {
        return go_on(&context, &snapshot, earlier).await;
    }
    let part = path.clone().map_or(ReadPart::Listing, ReadPart::Path);
    let stamps = {
        let (snapshot, id, part) = (Arc::clone(&snapshot), id.clone(), part.clone());
        context.work(move || Ok(FileStamps::take(&snapshot, &id, &part, caller))).await?
    };
    // Reading large files takes a while, so few are read at once, and others do not wait for them.
    let size = match &stamps {
        Some(stamps) => stamps.size(),
        // A text that was not looked at before, such as one behind a link, may be as large as any. Bytes are not held then.
        None if form == ReadForm::Text && path.is_some() => READ_MAX,
        None => 0,
    };
    let is_long_text = form == ReadForm::Text && size.min(snapshot.view.host.resource.max) > ALONE_MIN;
    let turns = if is_long_text { u32::try_from(super::state::LARGE).unwrap_or(1) } else { 1 };
    let _turn = if size > HELD_MAX { context.http.large.acquire_many(turns).await.ok() } else { None };
    // Text becomes a part of JSON, and is held twice until that is done.
    let _room = match form == ReadForm::Text && size > HELD_MAX {
        true => context.reserve(size.min(snapshot.view.host.resource.max))?,
        false => None,
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
    read_done(&context, &snapshot, (session, asked), progress)
}
