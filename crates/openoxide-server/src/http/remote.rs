//! Skills that the MCP servers of the settings offer.

use axum::response::Response;
use openoxide_mcp_client::{remote_line, remote_problem_line};
use openoxide_runtime::Session;
use openoxide_wire::{RemoteLine, RemoteProblemLine, SchemaVersion};
use schemars::JsonSchema;
use serde::Serialize;

use super::asked::{Asking, Just, Query, runtime};
use super::reply::Ready;
use crate::answer::Failure;

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

pub(crate) async fn list(asking: Asking, Query(query): Query<Just>) -> Result<Response, Failure> {
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
            Ready::json(&answer, peer, Some(&state))
        })
        .await?;
    Ok(ready.send(&asking.headers))
}
