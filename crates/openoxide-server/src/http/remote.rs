//! Skills that the MCP servers of the settings offer.

use axum::response::Response;
use http::StatusCode;
use openoxide_live::Snapshot;
use openoxide_mcp_client::{Remote, RemoteError, RemoteName, remote_line, remote_problem_line};
use openoxide_runtime::Session;
use openoxide_wire::{ReadAnswer, RemoteLine, RemoteProblemLine, SchemaVersion};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Mutex;

use super::extract::{HttpContext, LocationQuery, Query, runtime};
use super::files::{Read, Reading, content_type};
use super::response::EncodedResponse;
use crate::answer::Failure;
use crate::calling::{NotRead, OWN_FILE, RemoteRead, RemoteReading};

/// What servers offer, and what of it cannot be used.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemotesAnswer {
    /// The version of the format.
    schema: SchemaVersion,
    /// Skills, by server and address. Each is called by its whole name, `mcp:SERVER/NAME`.
    skills: Vec<RemoteLine>,
    /// What is wrong with servers and with what they offer.
    problems: Vec<RemoteProblemLine>,
}

pub(crate) async fn list(asking: HttpContext, Query(query): Query<LocationQuery>) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let runtime = runtime(&state)?;
    let listing = asking.engine.remote_list(&state).await;
    let peer = asking.peer;
    let ready = asking
        .work(move || {
            let nobody = Session::default();
            let answer = RemotesAnswer {
                schema: SchemaVersion::default(),
                skills: listing.skills.iter().map(|skill| remote_line(&runtime, &nobody, skill)).collect(),
                problems: listing.problems.iter().map(remote_problem_line).collect(),
            };
            EncodedResponse::json(&answer, peer, Some(&state))
        })
        .await?;
    Ok(ready.send(&asking.headers))
}

/// Reads what a server has of a skill; before, the same is asked as before it is called.
pub(crate) async fn read(
    asking: &HttpContext,
    state: &Snapshot,
    remote: &Remote,
    name: &RemoteName,
    reading: &Reading,
) -> Result<Read, Failure> {
    let runtime = runtime(state)?;
    let wanted =
        RemoteReading { remote, runtime: &runtime, name, caller: reading.caller, path: reading.path.as_deref() };
    let host = runtime.catalog().host.clone();
    let json = |answer: &ReadAnswer| EncodedResponse::json(answer, asking.peer, Some(state));
    let (id, bytes) = match wanted.read(&Mutex::default(), |questions| reading.open(questions)).await {
        Ok(RemoteRead::Bytes(id, bytes)) => (id, bytes),
        Ok(RemoteRead::Files(id, files)) => {
            return Ok(Read::Done(id.clone(), json(&ReadAnswer::of_paths(host, id, &files))?));
        }
        Ok(RemoteRead::Asks(question)) => return Ok(Read::Asks(question)),
        Err(NotRead::Error(error)) => return Err(failed(&error)),
        Err(NotRead::Refused(refusal)) => return Err(Failure::from(&refusal)),
    };
    let path = reading.path.as_deref().unwrap_or(OWN_FILE);
    if !reading.as_json {
        let kind = content_type(&runtime, path, &bytes);
        return Ok(Read::Done(id, EncodedResponse::new(bytes, kind)));
    }
    let answer = ReadAnswer::of_bytes(host, id.clone(), path, &bytes, false);
    match &answer.refused {
        Some(refused) => Err(Failure::new(StatusCode::NOT_ACCEPTABLE, &refused.problem, refused.text.clone())),
        None => Ok(Read::Done(id, json(&answer)?)),
    }
}

fn failed(error: &RemoteError) -> Failure {
    let status = match error {
        RemoteError::UnknownServer { .. } | RemoteError::UnknownSkill { .. } => StatusCode::NOT_FOUND,
        RemoteError::Ambiguous { .. } => StatusCode::CONFLICT,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let failure = Failure::new(status, error.word(), error.to_string());
    match error.hint() {
        Some(hint) => failure.help(hint),
        None => failure,
    }
}
