//! Finding skills by words over HTTP.

use axum::response::Response;
use openoxide_app::search::{LIMIT_DEFAULT, SearchInput, search};
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{HttpContext, Location, Query};
use super::response::EncodedResponse;
use crate::answer::Failure;

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
    LIMIT_DEFAULT
}

pub(crate) async fn find(context: HttpContext, Query(query): Query<SearchQuery>) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    let (input, peer) = (SearchInput { query: query.q, limit: query.limit }, context.peer);
    let ready = context.work(move || EncodedResponse::json(&search(&state, &input)?, peer, Some(&state))).await?;
    Ok(ready.send(&context.headers))
}
