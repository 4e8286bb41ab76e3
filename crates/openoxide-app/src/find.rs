//! Finds a skill by its name or path.

use std::path::PathBuf;

use openoxide_config::Workspace;
use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::text::near;

use crate::error::Error;
use crate::paths;

/// Returns the entries that a name or path means, active ones first.
pub fn find<'c>(workspace: &Workspace, catalog: &'c Catalog, wanted: &str) -> Result<Vec<&'c Entry>, Error> {
    let found = catalog.find(&workspace.resolve_skill_reference(catalog, wanted));
    if found.is_empty() { Err(unknown(catalog, wanted)) } else { Ok(found) }
}

/// Returns the error for a name that no skill of a catalog has.
pub fn unknown(catalog: &Catalog, wanted: &str) -> Error {
    let names = catalog.entries().map(|entry| entry.skill.name.as_ref());
    let near = near(wanted, names).first().map(|&near| near.to_owned());
    Error::UnknownSkill { wanted: wanted.to_owned(), near, none_active: catalog.skills.is_empty() }
}

/// What means a skill to a person: its name, or its folder where the name means another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillReference {
    /// The name; absent where it means another skill, or looks like a path.
    pub name: Option<String>,
    /// The folder.
    pub folder: PathBuf,
}

impl SkillReference {
    /// Returns what means an entry of a catalog.
    pub fn of(catalog: &Catalog, entry: &Entry) -> SkillReference {
        let name = &entry.skill.name;
        let is_path = name.contains('/') || name.starts_with(['.', '~']);
        let first = catalog.find(name).first().map(|found| found.canonical());
        let means_it = !entry.is_active() || first == Some(entry.canonical());
        let name = (!is_path && means_it).then(|| name.to_string());
        SkillReference { name, folder: entry.dir().to_owned() }
    }

    /// Returns whether the name or the folder can be printed as it is, so that a person can type it.
    pub fn is_printable(&self) -> bool {
        self.name.as_deref().is_some_and(paths::is_printable_text) || paths::is_printable(&self.folder)
    }
}
