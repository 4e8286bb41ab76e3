//! Whether the server is well.

use axum::response::IntoResponse;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use super::asked::Query;

/// A query that holds nothing.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Nothing {}

pub(crate) async fn health(_: Query<Nothing>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, "no-store")], "ok\n")
}
