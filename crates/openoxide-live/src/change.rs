//! Compares two snapshots of a place.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use openoxide_skills::catalog::{Catalog, Entry};

use crate::snapshot::Snapshot;

/// What changed at a place.
#[derive(Clone)]
pub struct Change {
    /// The new snapshot.
    pub snapshot: Arc<Snapshot>,
    /// Skills that are active now and were not before.
    pub added: Vec<SkillChange>,
    /// Skills that were active before and are not now.
    pub removed: Vec<SkillChange>,
    /// Skills that are active as before and differ: in their metadata, or in the bytes of their file.
    pub changed: Vec<SkillChange>,
}

/// A skill that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillChange {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Whether no other active skill has this name: now, or before if the skill is gone.
    pub is_alone: bool,
}

impl Change {
    /// Returns whether the active skills are the same as before. Problems may differ.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    /// Compares a snapshot with the one before. A skill with another name is another skill.
    pub(crate) fn between(before: &Snapshot, snapshot: &Arc<Snapshot>) -> Change {
        let (old, new) = (&before.catalog.skills, &snapshot.catalog.skills);
        let (mut added, mut removed, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        // Usually the same skills come in the same order, so that no lookup is needed.
        if old.len() == new.len() && old.iter().zip(new).all(|(old, new)| key(old) == key(new)) {
            changed.extend(old.iter().zip(new).filter(|(old, new)| !is_same(old, new)).map(|(_, new)| new));
        } else {
            let mut left: HashMap<(&OsStr, &str), &Entry> = old.iter().map(|entry| (key(entry), entry)).collect();
            for entry in new {
                match left.remove(&key(entry)) {
                    None => added.push(entry),
                    Some(old) if !is_same(old, entry) => changed.push(entry),
                    Some(_) => {}
                }
            }
            removed.extend(old.iter().filter(|entry| left.contains_key(&key(entry))));
        }
        let snapshot = Arc::clone(snapshot);
        Change {
            added: described(&added, new),
            removed: described(&removed, old),
            changed: described(&changed, new),
            snapshot,
        }
    }
}

pub(crate) fn is_same_catalog(left: &Catalog, right: &Catalog) -> bool {
    let same_entries = |left: &[Entry], right: &[Entry]| {
        let all_same = |(left, right): (&Entry, &Entry)| {
            is_same(left, right)
                && (left.status, &left.reason, &left.by) == (right.status, &right.reason, &right.by)
                && left.problems == right.problems
        };
        left.len() == right.len() && left.iter().zip(right).all(all_same)
    };
    let exists = |catalog: &Catalog| {
        catalog.roots.iter().map(|root| (root.exists, root.canonical.clone(), root.root.path.clone())).collect()
    };
    let (old_roots, new_roots): (Vec<_>, Vec<_>) = (exists(left), exists(right));
    same_entries(&left.skills, &right.skills)
        && same_entries(&left.others, &right.others)
        && left.problems == right.problems
        && left.limits == right.limits
        && old_roots == new_roots
}

fn key(entry: &Entry) -> (&OsStr, &str) {
    (entry.found().as_os_str(), &entry.skill.name)
}

/// Describes skills, given all active ones.
fn described(skills: &[&Entry], all: &[Entry]) -> Vec<SkillChange> {
    if skills.is_empty() {
        return Vec::new();
    }
    let mut counts: HashMap<&str, usize> = skills.iter().map(|entry| (&*entry.skill.name, 0)).collect();
    for entry in all {
        if let Some(count) = counts.get_mut(&*entry.skill.name) {
            *count += 1;
        }
    }
    let one = |entry: &&Entry| SkillChange {
        name: entry.skill.name.to_string(),
        path: entry.skill.path.to_path_buf(),
        is_alone: counts.get(&*entry.skill.name) == Some(&1),
    };
    skills.iter().map(one).collect()
}

/// Returns whether a skill is the same: its metadata, its callers, and the bytes of its file.
fn is_same(left: &Entry, right: &Entry) -> bool {
    left.content == right.content
        && left.size == right.size
        && (left.model, left.user, left.name_only) == (right.model, right.user, right.name_only)
        && left.root == right.root
        && left.found().as_os_str() == right.found().as_os_str()
        && left.canonical().as_os_str() == right.canonical().as_os_str()
        && (&left.aliases, &left.note) == (&right.aliases, &right.note)
        && left.skill == right.skill
}
