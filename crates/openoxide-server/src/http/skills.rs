//! The skills that count, and everything about one.

use axum::response::Response;
use openoxide_app::{SkillIds, find_by_id};
use openoxide_runtime::Runtime;
use openoxide_skills::catalog::{Catalog, View};
use openoxide_skills::render::entry_costs;
use openoxide_wire::{LimitLine, OtherLine, SchemaVersion, ShowAnswer, SkillLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{HttpContext, Location, LocationQuery, PathSegments, Query, runtime};
use crate::answer::Failure;

/// Which skills.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListQuery {
    #[serde(flatten)]
    at: Location,
    /// Whether to list also what does not count, and why.
    #[serde(default)]
    all: bool,
}

/// The skills of a place.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillsAnswer {
    /// The version of the format.
    schema: SchemaVersion,
    /// The host whose rules were followed.
    host: String,
    /// Grows whenever something changes at the place.
    version: u64,
    /// Skills that count, in the host's order.
    skills: Vec<Listed<SkillLine>>,
    /// Everything else that was found, by path, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<Vec<Listed<OtherLine>>>,
    /// Limits that were reached.
    limits: Vec<LimitLine>,
}

/// A line with what it is called in an address.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed<T> {
    /// What it is called in an address.
    id: String,
    #[serde(flatten)]
    line: T,
}

/// Everything about one skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillAnswer {
    /// What it is called in an address.
    id: String,
    #[serde(flatten)]
    answer: ShowAnswer,
}

pub(crate) async fn list(asking: HttpContext, Query(query): Query<ListQuery>) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let what = query.all.to_string();
    asking
        .cached_json(&state, "skills", what, move |state| {
            let runtime = runtime(state)?;
            Ok(listed(&state.view, runtime.catalog(), state.version, query.all))
        })
        .await
}

fn listed(view: &View, catalog: &Catalog, version: u64, all: bool) -> SkillsAnswer {
    let ids = SkillIds::new(catalog);
    let costs = entry_costs(view, catalog, &catalog.skills).each;
    let skills = catalog.skills.iter().zip(costs);
    let others = catalog.others.iter().map(|entry| Listed { id: ids.of(entry), line: OtherLine::new(catalog, entry) });
    SkillsAnswer {
        schema: SchemaVersion::default(),
        host: catalog.host.clone(),
        version,
        skills: skills
            .map(|(entry, cost)| Listed { id: ids.of(entry), line: SkillLine::new(catalog, entry, cost) })
            .collect(),
        others: all.then(|| others.collect()),
        limits: catalog.limits.iter().map(LimitLine::from).collect(),
    }
}

pub(crate) async fn show(
    asking: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<LocationQuery>,
) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    asking.cached_json(&state, "skill", id.clone(), move |state| shown(&state.view, &*runtime(state)?, &id)).await
}

fn shown(view: &View, runtime: &Runtime, id: &str) -> Result<SkillAnswer, Failure> {
    let catalog = runtime.catalog();
    let entry = find_by_id(catalog, id)?;
    let cost = entry_costs(view, catalog, [entry]).each.first().copied().unwrap_or_default();
    let mut answer = ShowAnswer::new(catalog, entry, cost);
    answer.permissions = runtime.look_at_profile(entry);
    Ok(SkillAnswer { id: SkillIds::new(catalog).of(entry), answer })
}
