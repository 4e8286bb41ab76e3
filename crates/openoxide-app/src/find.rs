//! Finds a skill by its name or path.

use openoxide_config::Workspace;
use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::text::near;

use crate::error::Error;

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
