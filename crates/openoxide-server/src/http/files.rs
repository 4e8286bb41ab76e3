//! The files of a skill, in a folder of this machine or of an MCP server. What a rule asks about waits for its answer as
//! an activation does.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use axum::response::Response;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};
use openoxide_live::Snapshot;
use openoxide_mcp_client::RemoteName;
use openoxide_runtime::{Answer, Question, Runtime, Session, host_media_type};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::Caller;
use openoxide_skills::resource::{
    FolderStamps, Resource, ResourceAnswer, ResourceBytes, ResourceContent, ResourcePart, ResourceRefusal,
    ResourceRequest, read_resource,
};
use openoxide_wire::{CallerInput, ReadAnswer};
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{HttpContext, Location, PathSegments, Query, runtime};
use super::response::EncodedResponse;
use super::response_cache::{CacheKey, CachedResponse, Dependencies, trust_file};
use super::{activations, id, remote};
use crate::answer::{Failure, Peer};
use crate::observe::audit::{Action, Decision};

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

/// What is read, and what was allowed on the way.
pub(crate) struct Reading {
    pub(crate) id: String,
    pub(crate) path: Option<String>,
    pub(crate) caller: Caller,
    pub(crate) as_json: bool,
    /// Questions that were answered with yes.
    allowed: Vec<Question>,
}

/// What comes of reading.
pub(crate) enum Read {
    /// The user must decide something first.
    Asks(Question),
    /// What is sent, of the skill that is called this.
    Done(String, EncodedResponse),
}

impl Reading {
    /// Returns the first question that is still open.
    pub(crate) fn open(&self, questions: Vec<Question>) -> Option<Question> {
        questions.into_iter().find(|question| !self.allowed.contains(question))
    }

    /// Returns the key of the response, if it may be cached.
    fn cache_key(&self, snapshot: &Arc<Snapshot>, peer: Peer) -> Option<CacheKey> {
        let path = self.path.clone().filter(|_| !self.as_json && self.allowed.is_empty())?;
        Some(CacheKey::new(snapshot, "file", self.id.clone(), peer).used_by(self.caller, Some(path)))
    }
}

pub(crate) async fn top(
    asking: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<ReadQuery>,
) -> Result<Response, Failure> {
    begin(asking, id, None, query).await
}

pub(crate) async fn file(
    asking: HttpContext,
    PathSegments((id, path)): PathSegments<(String, String)>,
    Query(query): Query<ReadQuery>,
) -> Result<Response, Failure> {
    begin(asking, id, Some(path), query).await
}

async fn begin(asking: HttpContext, id: String, path: Option<String>, query: ReadQuery) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let (caller, as_json) = (query.who.into(), asking.wants_json());
    let reading = Reading { id, path, caller, as_json, allowed: Vec::new() };
    let hit = reading.cache_key(&state, asking.peer).and_then(|key| asking.http.cache().get(&key));
    if let Some(hit) = hit {
        asking.engine.note(Action::Read, &hit.skill, None, reading.path.as_deref(), Decision::Allow);
        return Ok(sent(&asking, &hit.response));
    }
    go_on(&asking, state, reading).await
}

/// Goes on with the answer to a question.
pub(crate) async fn answered(
    asking: &HttpContext,
    state: Arc<Snapshot>,
    mut reading: Reading,
    question: Question,
    answer: Answer,
) -> Result<Response, Failure> {
    if !answer.is_yes() {
        let decision = Decision::Deny("rejected".to_owned());
        asking.engine.note(Action::Read, &reading.id, None, reading.path.as_deref(), decision);
        return Err(Failure::new(StatusCode::FORBIDDEN, "rejected", "the user did not allow it to be read"));
    }
    let runtime = runtime(&state)?;
    let question = asking
        .work(move || match runtime.keep_answer(&mut Session::default(), &question, &answer) {
            Ok(()) => Ok(question),
            Err(error) => {
                let failure =
                    Failure::new(StatusCode::CONFLICT, "not-kept", format!("the answer is not kept: {error}"));
                Err(failure.help("ask for the file again, and answer `once`"))
            }
        })
        .await?;
    reading.allowed.push(question);
    go_on(asking, state, reading).await
}

async fn go_on(asking: &HttpContext, state: Arc<Snapshot>, reading: Reading) -> Result<Response, Failure> {
    let reading = Arc::new(reading);
    let read = match (RemoteName::parse(&reading.id), asking.engine.remote(&state)) {
        (Some(name), Some(remote)) => remote::read(asking, &state, &remote, &name, &reading).await,
        _ => local(asking, &state, &reading).await,
    };
    let note = |name: &str, decision| asking.engine.note(Action::Read, name, None, reading.path.as_deref(), decision);
    match read {
        Ok(Read::Done(name, ready)) => {
            note(&name, Decision::Allow);
            Ok(sent(asking, &ready))
        }
        Ok(Read::Asks(question)) => {
            let reading =
                Arc::into_inner(reading).ok_or_else(|| Failure::from(crate::blocking_pool::Unavailable::Failed))?;
            activations::ask_to_read(asking, &state, reading, question)
        }
        Err(failure) => {
            note(&reading.id, Decision::Deny(failure.line().code.clone()));
            Err(failure)
        }
    }
}

fn sent(asking: &HttpContext, ready: &EncodedResponse) -> Response {
    let mut response = ready.send(&asking.headers);
    // A page that comes with a skill is nothing of ours: it runs nothing, and reaches nothing.
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    headers.insert(VARY, HeaderValue::from_static("accept, accept-encoding"));
    debug_assert!(headers.contains_key(CONTENT_TYPE) || response.status() == StatusCode::NOT_MODIFIED);
    response
}

/// Reads what lies in a folder of this machine.
async fn local(asking: &HttpContext, state: &Arc<Snapshot>, reading: &Arc<Reading>) -> Result<Read, Failure> {
    let runtime = runtime(state)?;
    let (http, peer) = (asking.http.clone(), asking.peer);
    let (state, reading) = (Arc::clone(state), Arc::clone(reading));
    asking
        .work(move || {
            let found = match find(&runtime, &reading)? {
                Ok(found) => found,
                Err(question) => return Ok(Read::Asks(question)),
            };
            let seen = reading.cache_key(&state, peer).and_then(|key| Some((key, found.seen(&state)?)));
            let (host, catalog) = (&runtime.view().host, runtime.catalog());
            let answer = read_resource(host, catalog, found.entry, &found.asked, !reading.as_json);
            let answer = answer.map_err(|refused| Failure::from(&refused))?;
            let name = found.asked.name.clone();
            let ResourceAnswer {
                found: ResourceContent::File(Resource { bytes: ResourceBytes::Binary(bytes), path, .. }),
                ..
            } = answer
            else {
                let answer = ReadAnswer::new(catalog.host.clone(), name.clone(), Ok(&answer));
                return Ok(Read::Done(name, EncodedResponse::json(&answer, peer, Some(&state))?));
            };
            let kind = content_type(&runtime, &path, &bytes);
            let ready = EncodedResponse::new(bytes, kind);
            if let Some((key, (stamps, file))) = seen.filter(|_| ready.bytes.len() <= CACHED_MAX) {
                let cached = CachedResponse { response: ready.clone(), skill: name.clone(), digest: None };
                http.cache().insert(key, Dependencies::File(stamps, file), cached);
            }
            Ok(Read::Done(name, ready))
        })
        .await
}

/// What is meant, once nothing is in its way.
struct Meant<'r> {
    entry: &'r Entry,
    asked: ResourceRequest,
}

impl Meant<'_> {
    /// Looks at the file, before it is read, if it can only be this one.
    fn seen(&self, state: &Snapshot) -> Option<(FolderStamps, PathBuf)> {
        let subjects = self.asked.subjects(self.entry).ok()?;
        let [subject] = subjects.as_slice() else { return None };
        let below = Path::new(subject.strip_prefix(&*self.entry.skill.name)?.strip_prefix('/')?);
        let stamps = FolderStamps::of_file(self.entry.dir(), below, trust_file(state), SystemTime::now())?;
        Some((stamps, self.entry.dir().join(below)))
    }
}

/// Finds what is meant, or what the user must decide first.
fn find<'r>(runtime: &'r Runtime, reading: &Reading) -> Result<Result<Meant<'r>, Question>, Failure> {
    let (host, catalog, session) = (&runtime.view().host, runtime.catalog(), Session::default());
    let (id, caller) = (&reading.id, reading.caller);
    // What the model may not know of is as unknown as what is not there.
    let wanted = match id::find(catalog, id) {
        Ok(entry) => catalog.call_of(entry),
        Err(failure) if caller == Caller::User => return Err(failure),
        Err(_) => id.clone(),
    };
    let entry = runtime.readable(&session, &wanted, caller);
    let name = entry.as_ref().map_or(id.as_str(), |entry| &*entry.skill.name);
    let asked = match &reading.path {
        Some(path) => ResourceRequest::by_path(name, path, caller, &host.resource),
        None => ResourceRequest::for_skill(name, ResourcePart::Top, caller),
    };
    let refused = |problem| Failure::from(&ResourceRefusal::new(host, catalog, &asked, problem));
    let entry = entry.map_err(refused)?;
    let questions = runtime.before_reading(&session, entry, &asked).map_err(refused)?;
    Ok(match reading.open(questions) {
        Some(question) => Err(question),
        None => Ok(Meant { entry, asked }),
    })
}

/// Returns the `Content-Type` of a file.
pub(crate) fn content_type(runtime: &Runtime, path: &str, bytes: &[u8]) -> HeaderValue {
    let kind = host_media_type(&runtime.view().host.resource, Path::new(path), bytes);
    let kind = match kind.starts_with("text/") && !kind.contains("charset") {
        true => HeaderValue::try_from(format!("{kind}; charset=utf-8")),
        false => HeaderValue::try_from(&*kind),
    };
    kind.unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
