//! Reloads the catalog, and switches skills on and off.

use http::StatusCode;
use openoxide_app::{SettingsOwner, reload, switch};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Body, HttpContext, Location, Path, Query, Result};

/// An order with nothing in it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {}

pub(crate) async fn reload(context: HttpContext, Query(at): Query<Location>, Body(Order {}): Body<Order>) -> Result {
    let (live, place) = (context.engine.live.clone(), context.place(&at)?);
    context.work(move || Ok(reload::reload(&live, &place)?)).await?;
    // The counts are of what the caller may see.
    let snapshot = context.snapshot(&at).await?;
    context.json(StatusCode::OK, &snapshot, &reload::answer(&snapshot))
}

/// Whose settings are written.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchInput {
    /// Whether to write to the project's settings instead of the user's.
    #[serde(default)]
    in_project: bool,
}

pub(crate) async fn switch<const ENABLED: bool>(
    context: HttpContext,
    Path(id): Path<String>,
    Query(at): Query<Location>,
    Body(input): Body<SwitchInput>,
) -> Result {
    context.needs_person("only the user switches skills on and off")?;
    let snapshot = context.snapshot(&at).await?;
    let owner = if input.in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let live = context.engine.live.clone();
    let (snapshot, answer) = context
        .work(move || {
            let switched = switch::switch_by_id(&snapshot, &id, ENABLED, owner)?;
            // The next request must see the change.
            let snapshot = reload::reload(&live, &snapshot.place)?;
            match switch::ineffective(&switched) {
                Some(error) => Err(error.into()),
                None => Ok((snapshot, switch::change_answer(&[switched], ENABLED, None))),
            }
        })
        .await?;
    context.json(StatusCode::OK, &snapshot, &answer)
}
