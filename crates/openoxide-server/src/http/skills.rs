//! Lists the active skills and those of MCP servers, and shows one.

use openoxide_app::{Audience, list, remote, show};
use openoxide_wire::{LimitLine, OtherLine, SchemaVersion, ShowAnswer, SkillLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HttpContext, Location, Path, Query, Result};
use crate::{Conversation, Nobody};

/// Which skills.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListQuery {
    #[serde(flatten)]
    at: Location,
    /// Whether to list ignored skills too, each with its reason.
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
    /// Active skills, in the host's order.
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

pub(crate) async fn list(context: HttpContext, Query(query): Query<ListQuery>) -> Result {
    let snapshot = context.snapshot(&query.at).await?;
    context
        .cached_json(&snapshot, "skills", query.all.to_string(), move |snapshot| {
            let listing = list::list(snapshot, Audience::Program)?;
            Ok(SkillsAnswer {
                schema: SchemaVersion::default(),
                host: snapshot.catalog.host.clone(),
                version: snapshot.version,
                skills: listed(listing.skill_lines()),
                others: query.all.then(|| listed(listing.other_lines())),
                limits: listing.limit_lines(),
            })
        })
        .await
}

fn listed<T>(lines: Vec<(String, T)>) -> Vec<Listed<T>> {
    lines.into_iter().map(|(id, line)| Listed { id, line }).collect()
}

pub(crate) async fn show(context: HttpContext, Path(id): Path<String>, Query(at): Query<Location>) -> Result {
    let snapshot = context.snapshot(&at).await?;
    context
        .cached_json(&snapshot, "skill", id.clone(), move |snapshot| {
            let (id, answer) = show::show_by_id(snapshot, &id)?;
            Ok(SkillAnswer { id, answer })
        })
        .await
}

/// Lists the skills that the MCP servers of the settings offer.
pub(crate) async fn remote(context: HttpContext, Query(at): Query<Location>) -> Result {
    let snapshot = context.snapshot(&at).await?;
    let operation = remote::list(&snapshot)?;
    let (_, listing) = context.engine.complete(&snapshot, operation, &Conversation::default(), &mut Nobody).await??;
    context.fresh_json(snapshot, move |_| Ok(listing.answer())).await
}
