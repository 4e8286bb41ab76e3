//! Looking again, and switching skills on and off.

use axum::response::Response;
use http::StatusCode;
use openoxide_app::{SettingsOwner, reload, switch};
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{Body, HttpContext, LocationQuery, PathSegments, Query};
use crate::answer::Failure;

/// An order with nothing in it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {}

pub(crate) async fn reload(
    context: HttpContext,
    Query(query): Query<LocationQuery>,
    Body(Order {}): Body<Order>,
) -> Result<Response, Failure> {
    let (live, place) = (context.http.engine().live().clone(), context.place(&query.at)?);
    let state = context.work(move || Ok(reload::reload(&live, &place)?)).await?;
    context.json(StatusCode::OK, &state, &reload::answer(&state))
}

/// Whose settings are written.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchInput {
    /// Whether to write to the project's settings instead of the user's.
    #[serde(default)]
    in_project: bool,
}

pub(crate) async fn enable(
    context: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<LocationQuery>,
    Body(input): Body<SwitchInput>,
) -> Result<Response, Failure> {
    set_enabled(context, id, query, &input, true).await
}

pub(crate) async fn disable(
    context: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<LocationQuery>,
    Body(input): Body<SwitchInput>,
) -> Result<Response, Failure> {
    set_enabled(context, id, query, &input, false).await
}

async fn set_enabled(
    context: HttpContext,
    id: String,
    query: LocationQuery,
    input: &SwitchInput,
    enabled: bool,
) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    let owner = if input.in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let live = context.http.engine().live().clone();
    let (state, answer) = context
        .work(move || {
            let switched = switch::switch_by_id(&state, &id, enabled, owner)?;
            // The next request must see the change.
            let state = reload::reload(&live, &state.place)?;
            switch::ensure_effective(&switched)?;
            Ok((state, switch::change_answer(&switched, enabled)))
        })
        .await?;
    context.json(StatusCode::OK, &state, &answer)
}
