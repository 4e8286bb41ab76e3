//! Looking around: hosts, roots, findings, what the model sees, and what a turn names.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::response::Response;
use http::StatusCode;
use openoxide_app::hosts::hosts_of;
use openoxide_app::roots::roots as roots_answer;
use openoxide_runtime::{BeginningError, Onlooker, prompt_answer};
use openoxide_skills::render::Model;
use openoxide_skills::select::select;
use openoxide_wire::{LimitLine, MentionsAnswer, ProblemLine, SchemaVersion, TurnInput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{Body, HttpContext, Location, LocationQuery, Query, runtime};
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

pub(crate) async fn hosts(asking: HttpContext, Query(query): Query<HostsQuery>) -> Result<Response, Failure> {
    let only = query.at.host.clone();
    let state = asking.state(&query.at).await?;
    let peer = asking.peer;
    let ready = asking
        .work(move || {
            let views = match only {
                Some(_) => vec![state.view.clone()],
                None => state.workspace.views().map_err(openoxide_live::LiveError::from)?,
            };
            let hosts = hosts_of(&state.workspace, &views, query.matrix);
            EncodedResponse::json(&hosts.into_answer(), peer, Some(&state))
        })
        .await?;
    Ok(ready.send(&asking.headers))
}

pub(crate) async fn roots(asking: HttpContext, Query(query): Query<LocationQuery>) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let engine = asking.http.engine().clone();
    asking
        .cached_json(&state, "roots", String::new(), move |state| {
            let isolation = engine
                .isolation()
                .map_err(|text| Failure::new(StatusCode::SERVICE_UNAVAILABLE, "no-isolation", text).retry_after(60))?;
            Ok(roots_answer(&state.view, &state.catalog, isolation))
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

pub(crate) async fn problems(asking: HttpContext, Query(query): Query<LocationQuery>) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    asking
        .cached_json(&state, "problems", String::new(), |state| {
            Ok(ProblemsAnswer {
                schema: SchemaVersion::default(),
                host: state.catalog.host.clone(),
                version: state.version,
                problems: state.catalog.problems.iter().map(ProblemLine::from).collect(),
                limits: state.catalog.limits.iter().map(LimitLine::from).collect(),
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

pub(crate) async fn prompt(asking: HttpContext, Query(query): Query<PromptQuery>) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let runtime = runtime(&state)?;
    let peer = asking.peer;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(0));
    let model = Model { window: query.window, now };
    let onlooker = Onlooker { model, reads: !query.no_read_tool, preload: Vec::new() };
    let ready = asking
        .work(move || {
            let beginning = runtime.beginning(&state.workspace, Arc::clone(&state.catalog), &onlooker);
            let beginning = beginning.map_err(|error| match error {
                BeginningError::Rule(rule) => Failure::from(&rule),
                BeginningError::Refused(refusal) => Failure::from(&*refusal),
                BeginningError::Render(error) => Failure::new(StatusCode::CONFLICT, "bad-template", error.to_string()),
            })?;
            EncodedResponse::json(&prompt_answer(&beginning), peer, Some(&state))
        })
        .await?;
    Ok(ready.send(&asking.headers))
}

pub(crate) async fn mentions(
    asking: HttpContext,
    Query(query): Query<LocationQuery>,
    Body(input): Body<TurnInput>,
) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let of = Arc::clone(&state);
    let answer = asking
        .work(move || {
            let environment = &of.workspace.environment;
            let mut turn = input.into_turn(environment.cwd.clone(), environment.home.clone());
            turn.connectors.extend(of.workspace.config.connectors());
            let selection = select(&of.catalog, &of.view.host, &turn);
            Ok(MentionsAnswer::new(&of.catalog, &turn, &selection))
        })
        .await?;
    asking.json(StatusCode::OK, &state, &answer)
}
