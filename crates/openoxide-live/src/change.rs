//! What is new in a snapshot, seen from the one before.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use openoxide_skills::{Catalog, Entry};

use crate::snapshot::Snapshot;

/// What changed at a place.
#[derive(Clone)]
pub struct Change {
    /// What the place is like now.
    pub snapshot: Arc<Snapshot>,
    /// Skills that count now and did not before.
    pub added: Vec<SkillChange>,
    /// Skills that counted before and do not now.
    pub removed: Vec<SkillChange>,
    /// Skills that count as before, and are not the same any more: what is known of them, or the bytes of their file.
    pub changed: Vec<SkillChange>,
}

/// A skill that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillChange {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Whether no other skill that counts is called so: now, or, if it is gone, before.
    pub is_alone: bool,
}

impl Change {
    /// Tells whether the skills that count are the same as before; findings may differ.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    /// Finds what is new in a snapshot. A skill that is called otherwise is another one.
    pub(crate) fn between(before: &Snapshot, snapshot: &Arc<Snapshot>) -> Change {
        let (old, new) = (&before.catalog.skills, &snapshot.catalog.skills);
        let (mut added, mut removed, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        // Mostly the same skills stand in the same order, and nobody has to be looked for.
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
        Change { added: said(&added, new), removed: said(&removed, old), changed: said(&changed, new), snapshot }
    }
}

/// Tells whether two catalogs say the same.
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

/// Says which skills they are, among all that count.
fn said(skills: &[&Entry], all: &[Entry]) -> Vec<SkillChange> {
    if skills.is_empty() {
        return Vec::new();
    }
    let mut called: HashMap<&str, usize> = skills.iter().map(|entry| (&*entry.skill.name, 0)).collect();
    for entry in all {
        if let Some(count) = called.get_mut(&*entry.skill.name) {
            *count += 1;
        }
    }
    let one = |entry: &&Entry| SkillChange {
        name: entry.skill.name.to_string(),
        path: entry.skill.path.to_path_buf(),
        is_alone: called.get(&*entry.skill.name) == Some(&1),
    };
    skills.iter().map(one).collect()
}

/// Tells whether a skill is the same: what is known of it, who may call it, and the bytes of its file.
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
