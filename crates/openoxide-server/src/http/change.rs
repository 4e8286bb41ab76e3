//! Looking again, and switching skills on and off.

use axum::response::Response;
use http::StatusCode;
use openoxide_app::switch::change_answer;
use openoxide_config::{SettingsOwner, SkillSelector, SwitchError, SwitchRequest};
use openoxide_live::LiveError;
use openoxide_wire::{ChangeAnswer, SchemaVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{Body, HttpContext, LocationQuery, PathSegments, Query};
use super::id;
use crate::answer::Failure;

/// An order with nothing in it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {}

/// What was seen by looking again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReloadAnswer {
    /// The version of the format.
    schema: SchemaVersion,
    /// The host whose rules were followed.
    host: String,
    /// Grows whenever something changes at the place.
    version: u64,
    /// How many skills count.
    skills: usize,
    /// How many files do not.
    others: usize,
}

pub(crate) async fn reload(
    asking: HttpContext,
    Query(query): Query<LocationQuery>,
    Body(Order {}): Body<Order>,
) -> Result<Response, Failure> {
    let (live, place) = (asking.http.engine().live().clone(), asking.place(&query.at)?);
    let state = asking.work(move || Ok(live.reload(&place)?)).await?;
    let answer = ReloadAnswer {
        schema: SchemaVersion::default(),
        host: state.catalog.host.clone(),
        version: state.version,
        skills: state.catalog.skills.len(),
        others: state.catalog.others.len(),
    };
    asking.json(StatusCode::OK, &state, &answer)
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
    switch(asking, id, query, &input, true).await
}

pub(crate) async fn disable(
    asking: HttpContext,
    PathSegments(id): PathSegments<String>,
    Query(query): Query<LocationQuery>,
    Body(input): Body<SwitchInput>,
) -> Result<Response, Failure> {
    switch(asking, id, query, &input, false).await
}

async fn switch(
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
            let entry = id::find(&state.catalog, &id)?;
            let which = match id.starts_with('~') {
                true => SkillSelector::Path(entry.skill.path.to_path_buf()),
                false => SkillSelector::Name(entry.skill.name.to_string()),
            };
            let switched = state.workspace.switch(
                &state.view,
                &state.catalog,
                &SwitchRequest { selector: which, enabled, owner },
            )?;
            // Whoever asks next sees it.
            let state = live.reload(&state.place)?;
            match &switched.ineffective_reason {
                Some(why) => Err(Failure::new(StatusCode::CONFLICT, "not-so", format!("it was written, and: {why}"))),
                None => Ok::<(_, ChangeAnswer), Failure>((state, change_answer(&switched, enabled))),
            }
        })
        .await?;
    asking.json(StatusCode::OK, &state, &answer)
}

impl From<SwitchError> for Failure {
    fn from(error: SwitchError) -> Failure {
        let (status, code) = match &error {
            SwitchError::Unknown { .. } => (StatusCode::NOT_FOUND, "unknown"),
            SwitchError::Foreign { .. } => (StatusCode::FORBIDDEN, "foreign-settings"),
            SwitchError::NoHome | SwitchError::Edit(_) | SwitchError::Unpack(_) => {
                (StatusCode::CONFLICT, "not-written")
            }
            SwitchError::Workspace(_) => match error {
                SwitchError::Workspace(error) => return LiveError::from(error).into(),
                _ => (StatusCode::CONFLICT, "not-written"),
            },
        };
        let failure = Failure::new(status, code, error.to_string());
        match error.hint() {
            Some(hint) => failure.help(hint),
            None => failure,
        }
    }
}
