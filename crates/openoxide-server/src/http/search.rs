//! Finding skills by words.

use axum::response::Response;
use http::StatusCode;
use openoxide_skills::search::search;
use openoxide_wire::SchemaVersion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{HttpContext, Location, Query, runtime};
use super::id::Ids;
use super::response::EncodedResponse;
use crate::answer::Failure;

/// Most skills that a search finds.
const HITS_MAX: usize = 100;

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
    20
}

/// The skills that fit, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchAnswer {
    /// The version of the format.
    schema: SchemaVersion,
    /// The host whose rules were followed.
    host: String,
    /// The skills.
    hits: Vec<HitLine>,
}

/// A skill that fits.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HitLine {
    /// What it is called in an address.
    id: String,
    /// Its name.
    name: String,
    /// What it is for.
    description: String,
    /// How well it fits; only the order means something.
    score: f64,
}

pub(crate) async fn find(asking: HttpContext, Query(query): Query<SearchQuery>) -> Result<Response, Failure> {
    if !(1..=HITS_MAX).contains(&query.limit) {
        let text = format!("`limit` must be from 1 to {HITS_MAX}");
        return Err(Failure::new(StatusCode::BAD_REQUEST, "bad-query", text));
    }
    let state = asking.state(&query.at).await?;
    let runtime = runtime(&state)?;
    let peer = asking.peer;
    let ready = asking
        .work(move || {
            let catalog = runtime.catalog();
            let ids = Ids::new(catalog);
            let hits = search(&catalog.skills, &query.q, query.limit).into_iter().map(|hit| HitLine {
                id: ids.of(hit.entry),
                name: hit.entry.skill.name.to_string(),
                description: hit.entry.skill.description.to_string(),
                score: hit.score,
            });
            let answer =
                SearchAnswer { schema: SchemaVersion::default(), host: catalog.host.clone(), hits: hits.collect() };
            EncodedResponse::json(&answer, peer, Some(&state))
        })
        .await?;
    Ok(ready.send(&asking.headers))
}
