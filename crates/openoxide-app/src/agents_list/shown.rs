//! How much of each skill an agent's model sees.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use openoxide_skills::prelude::{Catalog, Entry, Model, View, render};
use openoxide_skills::render::{DetailLevel, catalog_budget};

use crate::catalog_use::{CatalogUse, now};

/// What an agent makes of a skill, at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// It is active.
    Active,
    /// It is active, and the model sees its name without the description.
    NameOnly,
    /// It is active, and the model does not see it, because the catalog is full.
    LeftOut,
    /// The agent found it and ignores it.
    Ignored,
    /// The agent did not find it.
    NotFound,
}

/// The skills whose description the model of an agent does not see, and what the catalog takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    marks: HashMap<Arc<Path>, Mark>,
    /// Absent: there is no limit.
    pub(super) catalog: Option<CatalogUse>,
}

impl Shown {
    /// Draws what the model sees, if anything could be missing.
    pub(super) fn new(view: &View, catalog: &Arc<Catalog>) -> Shown {
        let model = Model { window: None, now: now() };
        if catalog_budget(view, model).is_none() {
            return Shown::default();
        }
        // A host without templates shows nothing that could be shortened.
        let Ok(prompt) = render(view, catalog, model) else { return Shown::default() };
        let mark = |detail| match detail {
            DetailLevel::NameOnly => Some(Mark::NameOnly),
            DetailLevel::LeftOut => Some(Mark::LeftOut),
            DetailLevel::Full | DetailLevel::Shortened => None,
        };
        let catalog = Some(CatalogUse::from(&prompt));
        let marks = prompt.shown.into_iter().filter_map(|shown| Some((shown.path, mark(shown.detail)?))).collect();
        Shown { marks, catalog }
    }

    pub(super) fn mark(&self, entry: &Entry) -> Mark {
        match self.marks.get(&*entry.skill.path) {
            _ if !entry.is_active() => Mark::Ignored,
            Some(mark) => *mark,
            None if entry.name_only => Mark::NameOnly,
            None => Mark::Active,
        }
    }
}
