//! Looking around: hosts, roots, findings, what the model sees, and what a turn names.

use std::sync::Arc;

use axum::response::Response;
use http::StatusCode;
use openoxide_app::hosts::{self, HostsInput};
use openoxide_app::mentions::turn_of_input;
use openoxide_app::problems::{self, Problems};
use openoxide_app::prompt::PromptInput;
use openoxide_wire::{LimitLine, ProblemLine, SchemaVersion, TurnInput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{Body, HttpContext, Location, LocationQuery, Query};
use super::response::EncodedResponse;
use crate::answer::Failure;

/// Which hosts.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct HostsQuery {
    #[serde(flatten)]
    at: Location,
    /// Whether to say what each host makes of each file.
    #[serde(default)]
    matrix: bool,
}

pub(crate) async fn hosts(context: HttpContext, Query(query): Query<HostsQuery>) -> Result<Response, Failure> {
    let only = query.at.host.clone();
    let state = context.state(&query.at).await?;
    let peer = context.peer;
    let ready = context
        .work(move || {
            let hosts = match only {
                Some(_) => hosts::host_of(&state, query.matrix),
                None => hosts::hosts(&state.workspace, &HostsInput { host: None, matrix: query.matrix })?,
            };
            EncodedResponse::json(&hosts.into_answer(), peer, Some(&state))
        })
        .await?;
    Ok(ready.send(&context.headers))
}

pub(crate) async fn roots(context: HttpContext, Query(query): Query<LocationQuery>) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    let engine = context.http.engine().clone();
    context
        .cached_json(&state, "roots", String::new(), move |state| {
            let isolation = engine
                .isolation()
                .map_err(|text| Failure::new(StatusCode::SERVICE_UNAVAILABLE, "no-isolation", text).retry_after(60))?;
            Ok(openoxide_app::roots::roots(state, isolation))
        })
        .await
}

/// What is wrong at a place.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProblemsAnswer {
    /// The version of the format.
    schema: SchemaVersion,
    /// The host whose rules were followed.
    host: String,
    /// Grows whenever something changes at the place.
    version: u64,
    /// Findings, by path.
    problems: Vec<ProblemLine>,
    /// Limits that were reached.
    limits: Vec<LimitLine>,
}

pub(crate) async fn problems(context: HttpContext, Query(query): Query<LocationQuery>) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    context
        .cached_json(&state, "problems", String::new(), |state| {
            let Problems { problems, limits } = problems::problems(state);
            Ok(ProblemsAnswer {
                schema: SchemaVersion::default(),
                host: state.catalog.host.clone(),
                version: state.version,
                problems,
                limits,
            })
        })
        .await
}

/// Whose model.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PromptQuery {
    #[serde(flatten)]
    at: Location,
    /// The model's context window, in tokens.
    window: Option<u64>,
    /// Whether the agent cannot read files.
    #[serde(default)]
    no_read_tool: bool,
}

pub(crate) async fn prompt(context: HttpContext, Query(query): Query<PromptQuery>) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    let peer = context.peer;
    let input = PromptInput { window: query.window, can_read: !query.no_read_tool, preload: Vec::new() };
    let ready = context
        .work(move || {
            let drawn = openoxide_app::prompt::prompt(&state, &input)?;
            EncodedResponse::json(&drawn.answer(), peer, Some(&state))
        })
        .await?;
    Ok(ready.send(&context.headers))
}

pub(crate) async fn mentions(
    context: HttpContext,
    Query(query): Query<LocationQuery>,
    Body(input): Body<TurnInput>,
) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    let of = Arc::clone(&state);
    let answer = context
        .work(move || {
            let turn = turn_of_input(&of.workspace, input, &[]);
            Ok(openoxide_app::mentions::mentions(&of, turn).answer())
        })
        .await?;
    context.json(StatusCode::OK, &state, &answer)
}
