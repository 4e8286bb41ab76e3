//! Finds the other name that a catalog shows beside a skill's own.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::catalog::{Catalog, Entry, FolderPlaces, Status, View, sort_entries};
use crate::host::NameShape;

/// The other names that are shown, by the skill's file.
#[derive(Default)]
pub(super) struct OtherNames(HashMap<PathBuf, String>);

impl OtherNames {
    /// Gives each other name to the first skill that has it, unless it is the name of a skill or of the program's own.
    pub(super) fn new(view: &View, catalog: &Catalog) -> OtherNames {
        let rules = &view.host.catalog;
        let Some(shape) = &rules.other_name else { return OtherNames::default() };
        let own = rules.own_names.iter().map(String::as_str).chain(super::fit::reserved_names(view));
        let mut taken: HashSet<String> = own.map(str::to_owned).collect();
        taken.extend(catalog.skills.iter().map(|entry| entry.skill.name.to_string()));
        let mut shown = HashMap::new();
        // A skill that lost its own name still has the other one.
        let lost = catalog.others.iter().filter(|entry| entry.status == Status::Shadowed);
        let mut entries: Vec<&Entry> = catalog.skills.iter().chain(lost).collect();
        let folders = FolderPlaces::new(&catalog.roots, catalog.entries());
        sort_entries(&mut entries, &view.host.list.order, &view.host.collide.rank, &folders, false);
        for entry in entries {
            // The name without its prefix is no other name.
            let is_other = |other: &&String| entry.skill.name.rsplit(':').next() != Some(other.as_str());
            let other = entry.aliases.first().filter(|_| !entry.is_renamed).filter(is_other);
            let other = other.filter(|other| has_shape(other, shape));
            if let Some(other) = other.filter(|other| taken.insert((*other).clone())) {
                shown.insert(entry.skill.path.to_path_buf(), other.clone());
            }
        }
        OtherNames(shown)
    }

    /// Returns the other name that is shown of a skill; none if a setting shows its name only.
    pub(super) fn of(&self, entry: &Entry) -> Option<&str> {
        if entry.name_only {
            return None;
        }
        self.0.get::<Path>(&entry.skill.path).map(String::as_str)
    }
}

fn has_shape(name: &str, shape: &NameShape) -> bool {
    crate::parse::misfit(name, shape).is_none()
}
