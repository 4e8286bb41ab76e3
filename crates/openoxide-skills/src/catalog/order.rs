//! Sorts entries by scope, root, name and path, in the host's order.

use std::collections::HashMap;
use std::path::PathBuf;
use std::{borrow::Borrow, cmp::Ordering};

use icu_collator::options::{AlternateHandling, CollatorOptions};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};

use super::{Entry, SearchedRoot};
use crate::{host::OrderKey, skill::SkillScope};

/// Returns the rank of a scope; one that is not ranked comes last.
pub(crate) fn rank_of(scope: SkillScope, rank: &[SkillScope]) -> usize {
    rank.iter().position(|ranked| *ranked == scope).unwrap_or(rank.len())
}

/// Sorts entries by the host's keys. With `roots_first`, the order of the roots goes before everything else, and
/// scopes are ignored: that is the order in which entries meet.
pub(crate) fn sort_entries<E: Borrow<Entry>>(
    entries: &mut [E],
    order: &[OrderKey],
    rank: &[SkillScope],
    folders: &FolderPlaces,
    roots_first: bool,
) {
    let by_search = |key: &OrderKey| !matches!(key, OrderKey::NameCollated | OrderKey::NameFolded);
    if roots_first && order.iter().all(by_search) {
        // Entries come in the order of their roots and, inside a root, of the search.
        return;
    }
    let keys: Vec<OrderKey> = order.iter().copied().filter(|key| !roots_first || *key != OrderKey::Scope).collect();
    let by_keys = by_keys(&keys, rank);
    entries.sort_by(|left, right| {
        let (left, right) = (left.borrow(), right.borrow());
        let by_root = if roots_first { left.group.cmp(&right.group) } else { Ordering::Equal };
        by_root.then_with(|| by_keys(left, right))
    });
    if !folders.0.is_empty() {
        gather_folders(entries, folders);
    }
}

/// Where the folders of files stand below the roots that keep each folder together: in the order of their first files, be
/// these skills or not.
#[derive(Default)]
pub(crate) struct FolderPlaces(HashMap<(usize, PathBuf), usize>);

impl FolderPlaces {
    pub(crate) fn new<'e>(roots: &[SearchedRoot], entries: impl Iterator<Item = &'e Entry>) -> FolderPlaces {
        if !roots.iter().any(|searched| searched.root.rule.folders_together) {
            return FolderPlaces::default();
        }
        let mut files: Vec<&Entry> = entries.filter(|entry| roots[entry.root].root.rule.folders_together).collect();
        let collator = collator();
        files.sort_by(|left, right| by_path(left, right, &collator));
        let mut places = HashMap::new();
        for (place, entry) in files.iter().enumerate() {
            places.entry((entry.root, entry.dir().to_owned())).or_insert(place);
        }
        FolderPlaces(places)
    }

    fn of(&self, entry: &Entry) -> Option<usize> {
        self.0.get(&(entry.root, entry.dir().to_owned())).copied()
    }
}

/// Puts files of one folder together, and each folder in its place; entries of other roots stay where they are.
fn gather_folders<E: Borrow<Entry>>(entries: &mut [E], folders: &FolderPlaces) {
    let placed = |(at, entry): (usize, &E)| Some((folders.of(entry.borrow())?, at));
    let mut files: Vec<(usize, usize)> = entries.iter().enumerate().filter_map(placed).collect();
    let free: Vec<usize> = files.iter().map(|(_, at)| *at).collect();
    let collator = collator();
    files.sort_by(|(place, at), (other, other_at)| {
        let (left, right) = (entries[*at].borrow(), entries[*other_at].borrow());
        (left.root, place).cmp(&(right.root, other)).then_with(|| by_path(left, right, &collator))
    });
    let mut target: Vec<usize> = (0..entries.len()).collect();
    files.iter().zip(free).for_each(|((_, from), to)| target[*from] = to);
    permute(entries, target);
}

/// Compares the paths of two entries as dictionaries sort, root by root.
fn by_path(left: &Entry, right: &Entry, collator: &CollatorBorrowed<'_>) -> Ordering {
    let path = |entry: &Entry| entry.skill.path.to_string_lossy().into_owned();
    left.root.cmp(&right.root).then_with(|| collator.compare(&path(left), &path(right)))
}

/// Moves each item to its target.
fn permute<T>(items: &mut [T], mut target: Vec<usize>) {
    for at in 0..items.len() {
        while target[at] != at {
            let to = target[at];
            items.swap(at, to);
            target.swap(at, to);
        }
    }
}

/// Returns what compares two entries by some keys, one after the other.
pub(super) fn by_keys<'o>(
    order: &'o [OrderKey],
    rank: &'o [SkillScope],
) -> impl Fn(&Entry, &Entry) -> Ordering + use<'o> {
    let collator = order.contains(&OrderKey::NameCollated).then(collator);
    move |left, right| {
        let mut by = order.iter().map(|key| compare(*key, left, right, rank, collator.as_ref()));
        by.find(|by| by.is_ne()).unwrap_or(Ordering::Equal)
    }
}

fn compare(
    key: OrderKey,
    left: &Entry,
    right: &Entry,
    rank: &[SkillScope],
    collator: Option<&CollatorBorrowed<'_>>,
) -> Ordering {
    match key {
        OrderKey::Scope => rank_of(left.skill.scope, rank).cmp(&rank_of(right.skill.scope, rank)),
        OrderKey::Root => left.group.cmp(&right.group),
        OrderKey::Name => left.skill.name.cmp(&right.skill.name),
        OrderKey::NameCollated => match collator {
            Some(collator) => collator.compare(&left.skill.name, &right.skill.name),
            None => left.skill.name.cmp(&right.skill.name),
        },
        OrderKey::NameFolded => {
            let (left, right) = (&left.skill.name, &right.skill.name);
            let folded = compare_units(&left.to_lowercase(), &right.to_lowercase());
            folded.then_with(|| compare_units(left, right))
        }
        OrderKey::Path => left.skill.path.cmp(&right.skill.path),
        OrderKey::FolderAnyCase => {
            let folder = |entry: &Entry| entry.dir().to_string_lossy().to_lowercase();
            folder(left).cmp(&folder(right))
        }
        OrderKey::PathText => left.skill.path.as_os_str().cmp(right.skill.path.as_os_str()),
    }
}

fn compare_units(left: &str, right: &str) -> Ordering {
    if left.is_ascii() && right.is_ascii() { left.cmp(right) } else { left.encode_utf16().cmp(right.encode_utf16()) }
}

pub(crate) fn collator() -> CollatorBorrowed<'static> {
    let mut options = CollatorOptions::default();
    options.alternate_handling = Some(AlternateHandling::NonIgnorable);
    Collator::try_new(CollatorPreferences::default(), options).expect("the root collation is compiled in")
}

#[cfg(test)]
mod tests {
    use super::{collator, permute};

    #[test]
    fn items_move_to_their_targets() {
        let mut items = ['a', 'b', 'c', 'd', 'e'];
        permute(&mut items, vec![2, 1, 4, 3, 0]);
        assert_eq!(items, ['e', 'b', 'a', 'd', 'c']);
    }

    #[test]
    fn dictionaries_put_punctuation_first_and_case_last() {
        let collator = collator();
        let mut names = vec!["Z", "b", "a_b", "a-b", "ab", "aB", "B", "a", "A", "a10", "a2", "é", "10"];
        names.sort_by(|left, right| collator.compare(left, right));
        assert_eq!(names, ["10", "a", "A", "a_b", "a-b", "a10", "a2", "ab", "aB", "b", "B", "é", "Z"]);
    }
}
