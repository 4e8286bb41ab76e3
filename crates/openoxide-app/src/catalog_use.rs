//! Measures what an agent's catalog takes, and says it as people read it. Every screen has its numbers from here.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use openoxide_config::Workspace;
use openoxide_live::Snapshot;
use openoxide_runtime::seen_by_model;
use openoxide_skills::catalog::Entry;
use openoxide_skills::prelude::{Catalog, Model, Prompt, View, render};
use openoxide_skills::render::{DetailLevel, ShownSkill, entry_costs};

use crate::numbers::thousands;

pub use openoxide_wire::CatalogUse;

/// Measures what the catalog of a snapshot takes; nothing for a host without templates.
pub fn of_snapshot(snapshot: &Snapshot) -> Option<CatalogUse> {
    draw(&snapshot.workspace, &snapshot.view, &snapshot.catalog).map(|prompt| CatalogUse::from(&prompt))
}

/// What the catalog of a snapshot takes, and how it shows each skill.
#[derive(Clone, Debug)]
pub struct FittedCatalog {
    /// What it takes.
    pub catalog: CatalogUse,
    /// The skills by their files: a text is hashed much faster than a path.
    lines: HashMap<OsString, FittedLine>,
}

#[derive(Clone, Copy, Debug)]
struct FittedLine {
    detail: DetailLevel,
    tokens: u64,
}

impl FittedCatalog {
    /// Fits the catalog of a snapshot into its budget; nothing for a host without templates.
    pub fn of(snapshot: &Snapshot) -> Option<FittedCatalog> {
        let prompt = draw(&snapshot.workspace, &snapshot.view, &snapshot.catalog)?;
        let catalog = CatalogUse::from(&prompt);
        let line = |shown: &ShownSkill| FittedLine { detail: shown.detail, tokens: shown.tokens };
        let lines = prompt.shown.iter().map(|shown| (shown.path.as_os_str().to_owned(), line(shown))).collect();
        Some(FittedCatalog { catalog, lines })
    }

    /// Returns what the line of each entry costs, in tokens, drawing only those that the model does not see.
    pub(crate) fn costs(&self, view: &View, catalog: &Catalog, entries: &[Entry]) -> Vec<u64> {
        let known = |entry: &Entry| self.lines.get(entry.skill.path.as_os_str()).map(|line| line.tokens);
        let unseen = entries.iter().filter(|entry| known(entry).is_none());
        let mut unseen = entry_costs(view, catalog, unseen).each.into_iter();
        entries.iter().filter_map(|entry| known(entry).or_else(|| unseen.next())).collect()
    }

    /// Says what is shown of a skill, by its file, if that is not all of it.
    pub fn detail_of(&self, path: &Path) -> Option<&'static str> {
        detail_word(self.lines.get(path.as_os_str())?.detail)
    }
}

/// Returns the word for what is shown of a skill, if that is not all of it.
pub(crate) fn detail_word(detail: DetailLevel) -> Option<&'static str> {
    match detail {
        DetailLevel::Full => None,
        DetailLevel::Shortened => Some("shortened"),
        DetailLevel::NameOnly => Some("name only"),
        DetailLevel::LeftOut => Some("left out"),
    }
}

/// Draws what the model of an agent sees, with the window that its settings or its host state; nothing for a host without
/// templates.
pub(crate) fn draw(workspace: &Workspace, view: &View, catalog: &Arc<Catalog>) -> Option<Prompt> {
    // Numbers are shown, so that unreadable permission rules are no reason to show nothing.
    let seen = seen_by_model(workspace, Arc::clone(catalog)).unwrap_or_else(|_| Arc::clone(catalog));
    render(view, &seen, Model { window: None, now: now() }).ok()
}

/// Returns the time in milliseconds, which some hosts order skills by.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(0))
}

/// Tells whether a catalog shows less than before: less of some skill that was there, or a new one not whole.
pub(crate) fn shows_less(before: &Prompt, after: &Prompt) -> bool {
    let now: HashMap<&Path, &ShownSkill> = after.shown.iter().map(|shown| (&*shown.path, shown)).collect();
    let loses = |was: &ShownSkill| {
        let now = now.get(&*was.path);
        now.is_some_and(|now| (rank(now.detail), now.room) < (rank(was.detail), was.room.min(now.cost)))
    };
    overflows_more(&CatalogUse::from(before), &CatalogUse::from(after)) || before.shown.iter().any(loses)
}

/// Tells whether a catalog does not show every skill whole.
pub(crate) fn is_full(prompt: &Prompt) -> bool {
    prompt.shown.iter().any(|shown| shown.detail != DetailLevel::Full)
}

/// Returns how much is shown of a skill, as a number to compare.
pub(crate) fn rank(detail: DetailLevel) -> u8 {
    match detail {
        DetailLevel::LeftOut => 0,
        DetailLevel::NameOnly => 1,
        DetailLevel::Shortened => 2,
        DetailLevel::Full => 3,
    }
}

/// Tells whether a catalog overflows more than before: more skills are shortened, without their description or left out.
fn overflows_more(before: &CatalogUse, after: &CatalogUse) -> bool {
    let lost = |catalog: &CatalogUse| {
        let left_out = catalog.left_out;
        (left_out, left_out + catalog.name_only, left_out + catalog.name_only + catalog.shortened)
    };
    let (before, after) = (lost(before), lost(after));
    after.0 > before.0 || after.1 > before.1 || after.2 > before.2
}

/// Writes what a catalog takes: "8.0k of 8.0k characters (200k window)".
pub fn room_text(catalog: &CatalogUse) -> String {
    let used = thousands(catalog.used);
    match catalog.budget {
        Some(budget) => format!("{used} of {} {}{}", thousands(budget), catalog.unit, window_text(catalog)),
        None if catalog.used == 1 => format!("1 {}, no limit", catalog.unit.trim_end_matches('s')),
        None => format!("{used} {}, no limit", catalog.unit),
    }
}

/// Writes the window that is assumed: " (200k window)"; nothing if there is none.
pub fn window_text(catalog: &CatalogUse) -> String {
    let Some(window) = &catalog.window else { return String::new() };
    let size = match window.tokens {
        tokens if tokens >= 1_000_000 && tokens.is_multiple_of(1_000_000) => format!("{}M", tokens / 1_000_000),
        tokens if tokens.is_multiple_of(1_000) => format!("{}k", tokens / 1_000),
        tokens => tokens.to_string(),
    };
    format!(" ({size} window)")
}

#[cfg(test)]
mod tests {
    use openoxide_wire::WindowLine;

    use super::*;

    fn catalog(used: u64, budget: Option<u64>, window: Option<u64>) -> CatalogUse {
        CatalogUse {
            used,
            own: 0,
            budget,
            unit: "characters".to_owned(),
            window: window.map(|tokens| WindowLine { tokens, from: "default".to_owned() }),
            full: 10,
            shortened: 0,
            name_only: 0,
            left_out: 0,
        }
    }

    #[test]
    fn room_is_said_with_its_window() {
        let check = |used, budget, window, expected| assert_eq!(room_text(&catalog(used, budget, window)), expected);
        check(7_998, Some(8_000), Some(200_000), "8.0k of 8.0k characters (200k window)");
        check(900, Some(40_000), Some(1_000_000), "900 of 40.0k characters (1M window)");
        check(6_300, None, None, "6.3k characters, no limit");
        check(100, Some(500), None, "100 of 500 characters");
        check(100, Some(500), Some(12_345), "100 of 500 characters (12345 window)");
    }

    #[test]
    fn a_catalog_overflows_more_if_any_skill_loses() {
        let with = |full, shortened, name_only, left_out| CatalogUse {
            full,
            shortened,
            name_only,
            left_out,
            ..catalog(1, Some(1), None)
        };
        let check = |before: &CatalogUse, after: &CatalogUse, expected| {
            assert_eq!(overflows_more(before, after), expected, "{before:?} {after:?}");
        };
        let fits = with(10, 0, 0, 0);
        check(&fits, &with(11, 0, 0, 0), false);
        check(&fits, &with(10, 1, 0, 0), true);
        check(&fits, &with(10, 0, 1, 0), true);
        check(&with(8, 0, 2, 0), &with(9, 0, 2, 0), false);
        check(&with(8, 0, 2, 0), &with(8, 2, 0, 0), false);
        check(&with(8, 0, 2, 0), &with(9, 0, 0, 1), true);
        check(&with(0, 5, 0, 5), &with(0, 0, 5, 5), true);
    }
}
