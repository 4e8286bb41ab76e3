//! Finds roots below the working folder that stay dormant until a file near them is touched.

use std::path::{Path, PathBuf};

use super::resolve::Resolver;
use super::{Root, surroundings::split_head};
use crate::host::RootRule;

/// Most folders below cwd that are searched for roots that are asleep, and how deep.
const ASLEEP_FOLDERS: usize = 2_000;
const ASLEEP_DEPTH: usize = 6;

impl Resolver<'_> {
    /// Finds roots below cwd that only a touched file wakes.
    pub(crate) fn sleeping_roots(&self, awake: &[Root]) -> Vec<Root> {
        let rules: Vec<&RootRule> = self.host.roots.iter().filter(|rule| rule.path.starts_with("{below}/")).collect();
        let mut found = Vec::new();
        if rules.is_empty() {
            return found;
        }
        for folder in folders_below(&self.around.cwd) {
            for rule in &rules {
                let path = folder.join(split_head(&rule.path).1);
                if path.is_dir() && !awake.iter().any(|root| root.path == path) {
                    let asleep = Some(self.rel_of(rule, &path));
                    found.push(Root { asleep, ..self.root(rule, path, None) });
                }
            }
        }
        found
    }
}

/// Lists folders below one, breadth first, hidden and very large ones left out.
fn folders_below(top: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = vec![top.to_owned()];
    let mut at = 0;
    while at < folders.len() && folders.len() < ASLEEP_FOLDERS {
        let depth = folders[at].components().count() - top.components().count();
        let entries = std::fs::read_dir(&folders[at]).into_iter().flatten().flatten();
        let wanted = |name: &str| !name.starts_with('.') && !matches!(name, "node_modules" | "target");
        let mut inner: Vec<PathBuf> = entries
            .filter(|entry| depth < ASLEEP_DEPTH && entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter(|entry| entry.file_name().to_str().is_some_and(wanted))
            .map(|entry| entry.path())
            .collect();
        inner.sort();
        folders.extend(inner);
        at += 1;
    }
    folders.split_off(1)
}
