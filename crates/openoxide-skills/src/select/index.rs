//! Indexes the skills of a catalog by name and by path, on first use.

use std::path::{Component, Path, PathBuf};
use std::{cell::OnceCell, collections::HashMap};

use super::reason::IgnoredReason;
use crate::catalog::{Catalog, Entry, Status};
use crate::host::{Ambiguous, MentionRules};
use crate::{diagnostic::Code, text::near};

/// At most this many unknown names get suggestions.
const MAX_GUESSED: usize = 8;

const MAX_CANDIDATES: usize = 8;

pub(super) struct Index<'c, 'r> {
    catalog: &'c Catalog,
    rules: &'r MentionRules,
    names: OnceCell<HashMap<&'c str, Vec<&'c Entry>>>,
    aliases: OnceCell<HashMap<&'c str, Vec<&'c Entry>>>,
    paths: OnceCell<HashMap<&'c Path, &'c Entry>>,
    positions: OnceCell<HashMap<*const Entry, usize>>,
    guessed: usize,
}

impl<'c, 'r> Index<'c, 'r> {
    pub(super) fn new(catalog: &'c Catalog, rules: &'r MentionRules) -> Self {
        let (names, aliases) = (OnceCell::new(), OnceCell::new());
        Index { catalog, rules, names, aliases, paths: OnceCell::new(), positions: OnceCell::new(), guessed: 0 }
    }

    pub(super) fn position(&self, entry: &Entry) -> usize {
        let positions = self.positions.get_or_init(|| {
            self.catalog.entries().enumerate().map(|(position, entry)| (std::ptr::from_ref(entry), position)).collect()
        });
        positions.get(&std::ptr::from_ref(entry)).copied().unwrap_or(usize::MAX)
    }

    /// Finds the skill that a name in running text means.
    pub(super) fn by_name(&mut self, name: &str) -> Result<&'c Entry, IgnoredReason<'c>> {
        if self.rules.ambiguous == Ambiguous::Nothing {
            let candidates: Vec<&'c Entry> =
                self.called(name).iter().copied().filter(|entry| competes(entry)).collect();
            if candidates.len() > 1 {
                return Err(self.ambiguous(name, candidates));
            }
        }
        self.by_rank(name)
    }

    /// Finds the skill that a name means where one of several is always meant.
    pub(super) fn by_rank(&mut self, name: &str) -> Result<&'c Entry, IgnoredReason<'c>> {
        let called = self.called(name);
        if let Some(entry) = called.iter().find(|entry| entry.is_active() && entry.user) {
            return Ok(entry);
        }
        if called.iter().any(|entry| entry.is_active()) {
            return Err(IgnoredReason::NotForUser);
        }
        let known = called.iter().find(|entry| entry.status != Status::Invalid).or(called.first()).copied();
        Err(known.map_or_else(|| self.unknown(name), IgnoredReason::NotActive))
    }

    pub(super) fn by_path(&self, path: &Path) -> Result<&'c Entry, IgnoredReason<'c>> {
        let paths = self.paths.get_or_init(|| self.paths());
        let entry = *paths.get(path).ok_or(IgnoredReason::PathUnknown)?;
        match entry.status {
            // A name clash is no reason here: the path says which of them is meant.
            Status::Active | Status::Shadowed | Status::Untrusted if entry.user => Ok(entry),
            Status::Active | Status::Shadowed | Status::Untrusted => Err(IgnoredReason::NotForUser),
            Status::Disabled | Status::Invalid | Status::Dormant | Status::Denied => {
                Err(IgnoredReason::NotActive(entry))
            }
        }
    }

    /// Returns every skill of a name, or else of an alias, those that are active first.
    fn called(&self, name: &str) -> &[&'c Entry] {
        let names = self.names.get_or_init(|| group(self.catalog, |entry| vec![&*entry.skill.name]));
        if let Some(entries) = names.get(name) {
            return entries;
        }
        let aliases = || group(self.catalog, |entry| entry.aliases.iter().map(String::as_str).collect());
        self.aliases.get_or_init(aliases).get(name).map_or(&[], Vec::as_slice)
    }

    fn paths(&self) -> HashMap<&'c Path, &'c Entry> {
        let mut paths = HashMap::new();
        for entry in self.catalog.entries() {
            for file in [&*entry.skill.path, entry.found(), entry.canonical()] {
                // Active ones come first, and keep the path.
                paths.entry(file).or_insert(entry);
                if let Some(folder) = file.parent().filter(|_| self.rules.loose_paths) {
                    paths.entry(folder).or_insert(entry);
                }
            }
        }
        paths
    }

    fn unknown(&mut self, name: &str) -> IgnoredReason<'c> {
        let mut guesses = Vec::new();
        if self.rules.suggests && self.guessed < MAX_GUESSED {
            self.guessed += 1;
            let callable = self.catalog.skills.iter().filter(|entry| entry.user);
            guesses = near(name, callable.map(|entry| &*entry.skill.name));
            guesses.dedup();
        }
        IgnoredReason::Unknown { name: name.to_owned(), near: guesses }
    }

    fn ambiguous(&self, name: &str, mut candidates: Vec<&'c Entry>) -> IgnoredReason<'c> {
        let total = candidates.len();
        candidates.truncate(MAX_CANDIDATES);
        let mark = &self.rules.link.mark;
        let says_which = self.rules.suggests && !mark.is_empty();
        IgnoredReason::Ambiguous { name: name.to_owned(), candidates, total, link: says_which.then(|| mark.clone()) }
    }
}

/// Returns whether a skill makes its name ambiguous: it is active, or only its namesake keeps it from being so.
///
/// One of an untrusted folder does not, or any folder could take the user's own names away.
fn competes(entry: &Entry) -> bool {
    let lost_its_name = entry.reason.as_ref().is_some_and(|reason| reason.code == Code::ShadowedName);
    entry.user && (entry.is_active() || entry.status == Status::Shadowed && lost_its_name)
}

fn group<'c>(catalog: &'c Catalog, names: impl Fn(&'c Entry) -> Vec<&'c str>) -> HashMap<&'c str, Vec<&'c Entry>> {
    let mut groups: HashMap<&str, Vec<&Entry>> = HashMap::new();
    for entry in catalog.entries() {
        for name in names(entry) {
            groups.entry(name).or_default().push(entry);
        }
    }
    groups
}

/// Takes `.` and `..` out of a path, by its text alone.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(whole.pop()),
            other => whole.push(other),
        }
    }
    whole
}
