//! Looking around: hosts, roots, findings, what the model sees, what a turn names, and which skills fit some words.

use std::sync::Arc;

use http::StatusCode;
use openoxide_app::{hosts, mentions::turn_of_input, problems, prompt::PromptInput, search};
use openoxide_wire::{LimitLine, ProblemLine, SchemaVersion, TurnInput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Body, HttpContext, Location, Query, Result};

/// Which hosts.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct HostsQuery {
    #[serde(flatten)]
    at: Location,
    /// Whether to say what each host makes of each file.
    #[serde(default)]
    matrix: bool,
}

pub(crate) async fn hosts(context: HttpContext, Query(query): Query<HostsQuery>) -> Result {
    if query.matrix {
        context.needs_person("only the user sees what each host makes of each file")?;
    }
    let snapshot = context.snapshot(&query.at).await?;
    context
        .fresh_json(snapshot, move |snapshot| {
            let answer = match query.at.host {
                Some(_) => Ok(hosts::host_of(snapshot, query.matrix)),
                None => hosts::hosts(&snapshot.workspace, true, query.matrix),
            };
            Ok(if snapshot.is_narrowed() { hosts::for_programs(answer) } else { answer }?)
        })
        .await
}

pub(crate) async fn roots(context: HttpContext, Query(at): Query<Location>) -> Result {
    let snapshot = context.snapshot(&at).await?;
    let engine = context.engine.clone();
    context
        .cached_json(&snapshot, "roots", String::new(), move |snapshot| {
            Ok(openoxide_app::roots::roots(snapshot, &engine.runner)?)
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

pub(crate) async fn problems(context: HttpContext, Query(at): Query<Location>) -> Result {
    let snapshot = context.snapshot(&at).await?;
    context
        .cached_json(&snapshot, "problems", String::new(), |snapshot| {
            let (problems, limits) = problems::problems(snapshot);
            let (schema, host) = (SchemaVersion::default(), snapshot.catalog.host.clone());
            Ok(ProblemsAnswer { schema, host, version: snapshot.version, problems, limits })
        })
        .await
}

/// Whose model.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PromptQuery {
    #[serde(flatten)]
    at: Location,
    /// The model's context window, in tokens.
    #[schemars(range(max = u64::MAX))]
    window: Option<u64>,
    /// Whether the agent cannot read files.
    #[serde(default)]
    no_read_tool: bool,
}

pub(crate) async fn prompt(context: HttpContext, Query(query): Query<PromptQuery>) -> Result {
    let snapshot = context.snapshot(&query.at).await?;
    let input = PromptInput { window: query.window, can_read: !query.no_read_tool, preload: Vec::new(), served: true };
    context.fresh_json(snapshot, move |snapshot| Ok(openoxide_app::prompt::prompt(snapshot, &input)?.answer)).await
}

pub(crate) async fn mentions(context: HttpContext, Query(at): Query<Location>, Body(input): Body<TurnInput>) -> Result {
    let snapshot = context.snapshot(&at).await?;
    let of = Arc::clone(&snapshot);
    let answer = context
        .work(move || {
            let turn = turn_of_input(&of.workspace, input, &[]);
            Ok(openoxide_app::mentions::mentions(&of, &turn).answer)
        })
        .await?;
    context.json(StatusCode::OK, &snapshot, &answer)
}

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchQuery {
    #[serde(flatten)]
    at: Location,
    /// Words to look for.
    q: String,
    /// Most skills to find.
    #[serde(default = "few")]
    #[schemars(range(min = 1, max = 100))]
    limit: usize,
}

fn few() -> usize {
    search::LIMIT_DEFAULT
}

pub(crate) async fn search(context: HttpContext, Query(query): Query<SearchQuery>) -> Result {
    let snapshot = context.snapshot(&query.at).await?;
    context.fresh_json(snapshot, move |snapshot| Ok(search::search(snapshot, &query.q, query.limit)?)).await
}
