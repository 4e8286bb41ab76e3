//! Finds the skills that a name or a path selects.

use std::path::PathBuf;

use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::text::path_text;

use super::Workspace;

/// What selects a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillSelector {
    /// A text that a person typed: a name, the path of a folder or file, or else the name of a folder.
    Typed(String),
    /// A name; it selects every skill that has it.
    Name(String),
    /// The path of a folder or file.
    Path(PathBuf),
}

impl SkillSelector {
    pub(super) fn is_path(&self) -> bool {
        match self {
            SkillSelector::Typed(typed) => looks_like_path(typed),
            SkillSelector::Name(_) => false,
            SkillSelector::Path(_) => true,
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            SkillSelector::Typed(text) | SkillSelector::Name(text) => text.clone(),
            SkillSelector::Path(path) => path_text(path),
        }
    }
}

fn looks_like_path(typed: &str) -> bool {
    typed.contains('/') || typed.starts_with(['.', '~'])
}

impl Workspace {
    /// Returns what to look a typed text up by: the absolute path if it is a path to a skill, or else the text itself.
    pub fn resolve_skill_reference(&self, catalog: &Catalog, typed: &str) -> String {
        let expanded = typed.strip_prefix("~/").and_then(|rest| Some(self.environment.home.as_ref()?.join(rest)));
        let path = expanded.unwrap_or_else(|| self.environment.cwd.join(typed));
        let path = std::fs::canonicalize(&path).unwrap_or(path).to_string_lossy().into_owned();
        if looks_like_path(typed) && !catalog.called(&path).is_empty() {
            return path;
        }
        // The name of a folder selects its skill where no skill has that name.
        match catalog.find(typed).first() {
            Some(entry) if catalog.called(typed).is_empty() => path_text(&entry.skill.path),
            _ => typed.to_owned(),
        }
    }

    pub(super) fn select<'c>(&self, catalog: &'c Catalog, selector: &SkillSelector) -> Vec<&'c Entry> {
        match selector {
            SkillSelector::Typed(typed) => catalog.find(&self.resolve_skill_reference(catalog, typed)),
            SkillSelector::Name(name) => catalog.entries().filter(|entry| *entry.skill.name == **name).collect(),
            SkillSelector::Path(path) => {
                let matches =
                    |entry: &&Entry| [&*entry.skill.path, entry.dir(), entry.found()].contains(&path.as_path());
                let found: Vec<&Entry> = catalog.entries().filter(matches).collect();
                match std::fs::canonicalize(path) {
                    Ok(real) if found.is_empty() => catalog.called(&real.to_string_lossy()),
                    _ => found,
                }
            }
        }
    }
}
