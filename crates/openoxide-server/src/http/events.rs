//! Streams changes of skills as server-sent events.

use std::collections::HashMap;
use std::{convert::Infallible, path::Path, sync::Arc, time::Duration};

use axum::response::sse::{Event, KeepAlive, Sse};
use openoxide_app::live::{Change, SkillChange};
use openoxide_app::{Place, Snapshot, skill_id, to_programs};
use schemars::JsonSchema;
use serde::Serialize;
use tokio_stream::{Stream, StreamExt as _, wrappers::BroadcastStream, wrappers::errors::BroadcastStreamRecvError};

use super::{HttpContext, Location, Query, Result};
use crate::Identity;

/// How often a comment is sent while nothing happens.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What changed at a place.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeEvent {
    /// The place's version now.
    version: u64,
    /// Skills that became active.
    added: Vec<ChangedSkill>,
    /// Skills that are no longer active.
    removed: Vec<ChangedSkill>,
    /// Active skills that changed.
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
            id: skill_id(&skill.name, &skill.path, skill.is_alone),
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

/// The files of the skills that a program sees, and whether each is alone with its name there.
type Paths = HashMap<Arc<Path>, bool>;

fn paths(snapshot: &Snapshot) -> Paths {
    let mut names: HashMap<&str, usize> = HashMap::new();
    let skills = || snapshot.catalog.skills.iter().map(|entry| &entry.skill);
    skills().for_each(|skill| *names.entry(&skill.name).or_default() += 1);
    skills().map(|skill| (Arc::clone(&skill.path), names.get(&*skill.name) == Some(&1))).collect()
}

/// Returns what a program sees of a change; notes what it sees from now on.
fn visible(change: &Change, seen: &mut Paths) -> Option<ChangeEvent> {
    let now = paths(&*to_programs(&change.snapshot).ok()?);
    let before = std::mem::replace(seen, now);
    let was = |skill: &SkillChange| before.contains_key(&*skill.path);
    let is = |skill: &SkillChange| seen.contains_key(&*skill.path);
    let is_alone = |skill: &SkillChange| seen.get(&*skill.path).or(before.get(&*skill.path)) == Some(&true);
    let all = || [&change.added, &change.removed, &change.changed].into_iter().flatten();
    let some = |wanted: &dyn Fn(&SkillChange) -> bool| {
        let shown = all().filter(|skill| wanted(skill));
        shown.map(|skill| SkillChange { is_alone: is_alone(skill), ..skill.clone() }).collect()
    };
    let shown = Change {
        snapshot: Arc::clone(&change.snapshot),
        added: some(&|skill| !was(skill) && is(skill)),
        removed: some(&|skill| was(skill) && !is(skill)),
        changed: some(&|skill| was(skill) && is(skill)),
    };
    (!shown.is_empty()).then(|| ChangeEvent::new(&shown))
}

pub(crate) async fn events(
    context: HttpContext,
    Query(at): Query<Location>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    // Subscribing before looking misses nothing in between.
    let changes = BroadcastStream::new(context.engine.changes());
    let snapshot = context.snapshot(&at).await?;
    let (place, version) = (snapshot.place.clone(), snapshot.version);
    // A place that a client listens to is not given up for others.
    let pin = context.engine.live.pin(&place);
    let first = Event::default().event("version").id(version.to_string()).data(format!("{{\"version\":{version}}}"));
    let mut seen = (context.identity != Identity::Person).then(|| paths(&snapshot));
    let later = changes.filter_map(move |change| {
        let _held = &pin;
        event(&place, change, seen.as_mut())
    });
    let stream = tokio_stream::once(first).chain(later).map(Ok);
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Makes the event of a change at this place. A client that is too far behind must look at everything again.
fn event(
    place: &Place,
    change: Result<Arc<Change>, BroadcastStreamRecvError>,
    seen: Option<&mut Paths>,
) -> Option<Event> {
    match change {
        Err(BroadcastStreamRecvError::Lagged(_)) => Some(Event::default().event("reload").data("{}")),
        Ok(change) if change.snapshot.place == *place => {
            let event = Event::default().event("change").id(change.snapshot.version.to_string());
            let change = match seen {
                Some(seen) => visible(&change, seen)?,
                None => ChangeEvent::new(&change),
            };
            event.json_data(change).ok()
        }
        Ok(_) => None,
    }
}
