//! Routes that list the active skills and show one.

use axum::response::Response;
use openoxide_app::{list, show};
use openoxide_wire::{LimitLine, OtherLine, SchemaVersion, ShowAnswer, SkillLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{HttpContext, Location, LocationQuery, PathSegments, Query};
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

pub(crate) async fn list(context: HttpContext, Query(query): Query<ListQuery>) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    let what = query.all.to_string();
    context
        .cached_json(&state, "skills", what, move |state| {
            let list::IdentifiedListing { skills, others, limits } = list::list_with_ids(state, query.all)?;
            Ok(SkillsAnswer {
                schema: SchemaVersion::default(),
                host: state.catalog.host.clone(),
                version: state.version,
                skills: skills.into_iter().map(Listed::from).collect(),
                others: others.map(|others| others.into_iter().map(Listed::from).collect()),
                limits,
            })
        })
        .await
}

impl<T> From<list::Identified<T>> for Listed<T> {
    fn from(list::Identified { id, line }: list::Identified<T>) -> Listed<T> {
        Listed { id, line }
    }
}

pub(crate) async fn show(
    context: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<LocationQuery>,
) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    context
        .cached_json(&state, "skill", id.clone(), move |state| {
            let (id, answer) = show::show_by_id(state, &id)?;
            Ok(SkillAnswer { id, answer })
        })
        .await
}
