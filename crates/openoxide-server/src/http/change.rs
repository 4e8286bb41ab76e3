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
    asking: HttpContext,
    Query(query): Query<LocationQuery>,
    Body(Order {}): Body<Order>,
) -> Result<Response, Failure> {
    let (live, place) = (asking.http.engine().live().clone(), asking.place(&query.at)?);
    let state = asking.work(move || Ok(reload::reload(&live, &place)?)).await?;
    asking.json(StatusCode::OK, &state, &reload::answer(&state))
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
    asking: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<LocationQuery>,
    Body(input): Body<SwitchInput>,
) -> Result<Response, Failure> {
    set_enabled(asking, id, query, &input, true).await
}

pub(crate) async fn disable(
    asking: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<LocationQuery>,
    Body(input): Body<SwitchInput>,
) -> Result<Response, Failure> {
    set_enabled(asking, id, query, &input, false).await
}

async fn set_enabled(
    asking: HttpContext,
    id: String,
    query: LocationQuery,
    input: &SwitchInput,
    enabled: bool,
) -> Result<Response, Failure> {
    let state = asking.state(&query.at).await?;
    let owner = if input.in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let live = asking.http.engine().live().clone();
    let (state, answer) = asking
        .work(move || {
            let switched = switch::switch_by_id(&state, &id, enabled, owner)?;
            // The next request must see the change.
            let state = reload::reload(&live, &state.place)?;
            switch::ensure_effective(&switched)?;
            Ok((state, switch::change_answer(&switched, enabled)))
        })
        .await?;
    asking.json(StatusCode::OK, &state, &answer)
}
