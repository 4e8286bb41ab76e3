//! The files of a skill.

use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use openoxide_runtime::{Runtime, Session};
use openoxide_skills::{
    Asked, Caller, Found, Part, ReadProblem, Refused, Resource, ResourceAnswer, ResourceBytes, read_resource,
};
use openoxide_wire::{ReadAnswer, Who};
use schemars::JsonSchema;
use serde::Deserialize;

use super::asked::{Asking, At, Query, Segments, runtime};
use super::id;
use super::reply::Ready;
use crate::answer::Failure;
use crate::audit::{Action, Decision};

/// Who reads.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadQuery {
    #[serde(flatten)]
    at: At,
    /// Who asks: what they may not call, they may not read.
    #[serde(default, rename = "as")]
    who: Who,
}

pub(crate) async fn top(
    asking: Asking,
    Segments(id): Segments<String>,
    Query(query): Query<ReadQuery>,
) -> Result<Response, Failure> {
    answered(asking, id, None, query).await
}

pub(crate) async fn file(
    asking: Asking,
    Segments((id, path)): Segments<(String, String)>,
    Query(query): Query<ReadQuery>,
) -> Result<Response, Failure> {
    answered(asking, id, Some(path), query).await
}

async fn answered(asking: Asking, id: String, path: Option<String>, query: ReadQuery) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let runtime = runtime(&state)?;
    let as_json = asking.wants_json();
    let peer = asking.peer;
    let engine = asking.engine.clone();
    let ready = asking
        .work(move || {
            let read = read(&runtime, &id, path.as_deref(), query.who.into(), !as_json);
            let (name, decision) = match &read {
                Ok((name, _)) => (name.as_str(), Decision::Allow),
                Err(failure) => (id.as_str(), Decision::Deny(failure.line().code.clone())),
            };
            engine.note(Action::Read, name, None, path.as_deref(), decision);
            let (name, answer) = read?;
            match answer {
                ResourceAnswer {
                    found: Found::File(Resource { bytes: ResourceBytes::Binary(bytes), path, .. }),
                    ..
                } if !as_json => Ok(Ready::new(bytes, kind_of(&runtime, &path))),
                answer => {
                    let host = runtime.catalog().host.clone();
                    Ready::json(&ReadAnswer::new(host, name, Ok(&answer)), peer, Some(&state))
                }
            }
        })
        .await?;
    let mut response = ready.send(&asking.headers).into_response();
    // A page that comes with a skill is nothing of ours: it runs nothing, and reaches nothing.
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    debug_assert!(headers.contains_key(CONTENT_TYPE) || response.status() == http::StatusCode::NOT_MODIFIED);
    Ok(response)
}

/// Reads what was asked for, as its host answers it; also returns the skill's name.
fn read(
    runtime: &Runtime,
    id: &str,
    path: Option<&str>,
    caller: Caller,
    bytes: bool,
) -> Result<(String, ResourceAnswer), Failure> {
    let (host, catalog, session) = (&runtime.view().host, runtime.catalog(), Session::default());
    // What the model may not know of is as unknown as what is not there.
    let wanted = match id::find(catalog, id) {
        Ok(entry) => catalog.call_of(entry),
        Err(failure) if caller == Caller::User => return Err(failure),
        Err(_) => id.to_owned(),
    };
    let entry = runtime.readable(&session, &wanted, caller);
    let name = entry.as_ref().map_or(id, |entry| &*entry.skill.name).to_owned();
    let asked = match path {
        Some(path) => Asked::by_path(&name, path, caller, &host.resource),
        None => Asked::for_skill(&name, Part::Top, caller),
    };
    let refused = |problem| Refused::new(host, catalog, &asked, problem);
    let entry = entry.map_err(refused).map_err(|refused| Failure::from(&refused))?;
    let questions = runtime.before_reading(&session, entry, &asked);
    let questions = questions.map_err(refused).map_err(|refused| Failure::from(&refused))?;
    if !questions.is_empty() {
        let failure = Failure::from(&refused(ReadProblem::Forbidden));
        return Err(failure.help("a rule asks before this is read, and nobody can be asked here: `openoxide read`"));
    }
    let answer = read_resource(host, catalog, entry, &asked, bytes).map_err(|refused| Failure::from(&refused))?;
    Ok((name, answer))
}

/// Returns the type of a file's content, by what its name ends with.
fn kind_of(runtime: &Runtime, path: &str) -> HeaderValue {
    let end = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_lowercase());
    let kind = end.and_then(|end| runtime.view().host.resource.types.get(&end)).map(String::as_str);
    let kind = match kind {
        Some(kind) if kind.starts_with("text/") && !kind.contains("charset") => format!("{kind}; charset=utf-8"),
        Some(kind) => kind.to_owned(),
        None => "application/octet-stream".to_owned(),
    };
    HeaderValue::try_from(kind).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
