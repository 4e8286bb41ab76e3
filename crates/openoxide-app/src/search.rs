//! Use case: find skills by words, best match first.

use openoxide_live::Snapshot;
use openoxide_runtime::search_for;
use openoxide_skills::text::visible;
use openoxide_wire::{HitLine, SchemaVersion, SearchAnswer};

use crate::{Error, ErrorKind, SkillIds};

/// The most skills that a search finds.
pub const LIMIT_MAX: usize = 100;
/// How many skills a search finds where the caller does not say.
pub const LIMIT_DEFAULT: usize = 20;

/// Finds the active skills that match words, for the model and for the user alike. Returns at most `limit` of them; the
/// limit is from 1 to [`LIMIT_MAX`].
pub fn search(snapshot: &Snapshot, query: &str, limit: usize) -> Result<SearchAnswer, Error> {
    if !(1..=LIMIT_MAX).contains(&limit) {
        let message = format!("`limit` must be from 1 to {LIMIT_MAX}");
        return Err(Error::other(ErrorKind::Invalid, "bad-query", message));
    }
    let catalog = snapshot.runtime()?.catalog();
    let ids = SkillIds::new(catalog);
    let hits = search_for(catalog, None, query, limit).into_iter().map(|hit| HitLine {
        id: ids.of(hit.entry),
        name: hit.entry.skill.name.to_string(),
        description: visible(&hit.entry.skill.description).into_owned(),
        score: hit.score,
    });
    Ok(SearchAnswer { schema: SchemaVersion::default(), host: catalog.host.clone(), hits: hits.collect() })
}
