//! Streams changes of skills as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use openoxide_app::Place;
use openoxide_app::live::{Change, SkillChange};
use openoxide_app::skill_id as called;
use schemars::JsonSchema;
use serde::Serialize;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;
use tokio_stream::{Stream, StreamExt as _};

use super::extract::{HttpContext, LocationQuery, Query};
use crate::answer::Failure;

/// How often something is said although nothing happened.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What changed at a place.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeEvent {
    /// The place's version now.
    version: u64,
    /// Skills that count now and did not before.
    added: Vec<ChangedSkill>,
    /// Skills that counted before and do not now.
    removed: Vec<ChangedSkill>,
    /// Skills that count as before, and are not the same any more.
    changed: Vec<ChangedSkill>,
}

/// A skill that changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedSkill {
    /// What it is called in an address; what it was called there, if it is gone.
    id: String,
    /// Its name.
    name: String,
}

impl ChangeEvent {
    fn new(change: &Change) -> ChangeEvent {
        let skill = |skill: &SkillChange| ChangedSkill {
            id: called(&skill.name, &skill.path, skill.is_alone),
            name: skill.name.clone(),
        };
        let skills = |skills: &[SkillChange]| skills.iter().map(skill).collect();
        ChangeEvent {
            version: change.snapshot.version,
            added: skills(&change.added),
            removed: skills(&change.removed),
            changed: skills(&change.changed),
        }
    }
}

pub(crate) async fn events(
    context: HttpContext,
    Query(query): Query<LocationQuery>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    // Whoever listens first and looks then misses nothing.
    let changes = BroadcastStream::new(context.http.engine().changes());
    let state = context.state(&query.at).await?;
    let (place, version) = (state.place.clone(), state.version);
    // A place that somebody listens to is not given up for others.
    let pin = context.http.engine().live().pin(&place);
    let first = Event::default().event("version").id(version.to_string()).data(format!("{{\"version\":{version}}}"));
    let later = changes.filter_map(move |change| {
        let _held = &pin;
        told(&place, change)
    });
    let stream = tokio_stream::once(first).chain(later).map(Ok);
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Makes the event of a change at this place; whoever is too far behind is told to look at everything again.
fn told(place: &Place, change: Result<std::sync::Arc<Change>, BroadcastStreamRecvError>) -> Option<Event> {
    match change {
        Err(BroadcastStreamRecvError::Lagged(_)) => Some(Event::default().event("reload").data("{}")),
        Ok(change) if change.snapshot.place == *place => {
            let event = Event::default().event("change").id(change.snapshot.version.to_string());
            event.json_data(ChangeEvent::new(&change)).ok()
        }
        Ok(_) => None,
    }
}
