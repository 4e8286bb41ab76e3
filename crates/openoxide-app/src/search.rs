//! Use case: find skills by words, best match first.

use openoxide_live::Snapshot;
use openoxide_runtime::search_for;
use openoxide_skills::catalog::Entry;
use openoxide_skills::search::search as search_entries;
use openoxide_skills::text::{path_text, visible};
use openoxide_wire::{AgentsHitLine, AgentsSearchAnswer, HitLine, SchemaVersion, SearchAnswer};

use crate::agents_list::{AgentCatalogs, SkillRow};
use crate::{Error, ErrorKind, SkillIds};

/// The most skills that a search finds.
pub const LIMIT_MAX: usize = 100;
/// How many skills a search finds where the caller does not say.
pub const LIMIT_DEFAULT: usize = 20;

/// Finds the active skills that match words, for the model and for the user alike. Returns at most `limit` of them; the
/// limit is from 1 to [`LIMIT_MAX`].
pub fn search(snapshot: &Snapshot, query: &str, limit: usize) -> Result<SearchAnswer, Error> {
    check(limit)?;
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

/// A skill of your agents that fits.
#[derive(Clone, Copy, Debug)]
pub struct AgentsHit<'r> {
    /// What your agents make of it.
    pub row: &'r SkillRow<'r>,
    /// How well it fits.
    pub score: f64,
}

/// Finds the skills that are active in one of your agents and match words. Returns at most `limit` of them.
pub fn search_agents<'r>(rows: &'r [SkillRow<'r>], query: &str, limit: usize) -> Result<Vec<AgentsHit<'r>>, Error> {
    check(limit)?;
    let active = rows.iter().filter(|row| row.is_active()).filter_map(|row| Some((row.main()?.1, row)));
    let active: Vec<(&Entry, &SkillRow<'_>)> = active.collect();
    let row_of = |entry: &Entry| active.iter().find(|(known, _)| std::ptr::eq(*known, entry)).map(|(_, row)| *row);
    let hits = search_entries(active.iter().map(|(entry, _)| *entry), query, limit).into_iter();
    Ok(hits.filter_map(|hit| Some(AgentsHit { row: row_of(hit.entry)?, score: hit.score })).collect())
}

/// Returns the answer as JSON has it.
pub fn agents_answer(found: &AgentCatalogs, hits: &[AgentsHit<'_>]) -> AgentsSearchAnswer {
    let line = |hit: &AgentsHit<'_>| {
        let (_, entry) = hit.row.main()?;
        let agents = found.agents.iter().zip(&hit.row.entries);
        let status = |entry: &Entry| entry.status.as_str().to_owned();
        Some(AgentsHitLine {
            name: entry.skill.name.to_string(),
            description: visible(&entry.skill.description).into_owned(),
            path: path_text(&entry.skill.path),
            hosts: agents.filter_map(|(agent, entry)| Some((agent.catalog.host.clone(), status((*entry)?)))).collect(),
            score: hit.score,
        })
    };
    AgentsSearchAnswer {
        schema: SchemaVersion::default(),
        hosts: found.agents.iter().map(|agent| agent.catalog.host.clone()).collect(),
        hits: hits.iter().filter_map(line).collect(),
    }
}

fn check(limit: usize) -> Result<(), Error> {
    if (1..=LIMIT_MAX).contains(&limit) {
        return Ok(());
    }
    let message = format!("`limit` must be from 1 to {LIMIT_MAX}");
    Err(Error::other(ErrorKind::Invalid, "bad-query", message))
}
