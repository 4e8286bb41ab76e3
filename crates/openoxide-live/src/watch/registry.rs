//! Who wants to know of which folder. A folder is watched once, for as long as some place wants to know of it.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openoxide_skills::path_text;

use super::{Event, NotWatched, Watcher};
use crate::hit::Hit;
use crate::way::steps;

/// What a place wants to know of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Interest {
    /// Skills are searched there.
    searched: bool,
    /// Settings come from everything there.
    all: bool,
    /// Names that count, and whether settings come from them.
    names: Vec<(OsString, bool)>,
}

impl Interest {
    fn named(&self, name: &OsStr) -> Option<bool> {
        self.names.iter().find(|(own, _)| own == name).map(|(_, settings)| *settings)
    }

    /// Tells whether whoever knows this of a folder knows the other too.
    fn covers(&self, other: &Interest) -> bool {
        let tells = |(name, settings): &(OsString, bool)| self.named(name).is_some_and(|own| own || !settings);
        (self.searched || !other.searched) && (self.all || !other.all) && other.names.iter().all(tells)
    }
}

/// What a place wants to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    folders: HashMap<PathBuf, Interest>,
}

impl Needs {
    /// Wants to know of everything in a folder of skills.
    pub(crate) fn search(&mut self, folder: &Path) {
        match self.folders.get_mut(folder) {
            Some(interest) => interest.searched = true,
            None => drop(self.folders.insert(folder.to_owned(), Interest { searched: true, ..Interest::default() })),
        }
    }

    /// Wants to know of everything in a folder of settings.
    pub(crate) fn everything_in(&mut self, folder: &Path) {
        self.folders.entry(folder.to_owned()).or_default().all = true;
    }

    /// Wants to know where a path leads, and of what is there.
    pub(crate) fn way(&mut self, path: &Path, settings: bool) {
        for (folder, name) in steps(path) {
            let names = &mut self.folders.entry(folder).or_default().names;
            match names.iter_mut().find(|(own, _)| *own == name) {
                Some((_, known)) => *known |= settings,
                None => names.push((name, settings)),
            }
        }
    }
}

/// Who wants to know of which folder.
pub(crate) struct Registry {
    watcher: Result<Arc<Watcher>, String>,
    /// How many folders may be watched.
    budget: usize,
    folders: HashMap<Arc<Path>, Folder>,
    watches: HashMap<i32, Arc<Path>>,
    /// The folders of each place.
    places: HashMap<u64, Vec<Arc<Path>>>,
    /// Places that lost a watch.
    lost: HashSet<u64>,
}

#[derive(Default)]
struct Folder {
    watch: Option<i32>,
    users: Vec<(u64, Interest)>,
}

impl Registry {
    pub(crate) fn new(watcher: Result<Arc<Watcher>, String>, budget: usize) -> Registry {
        Registry {
            watcher,
            budget,
            folders: HashMap::new(),
            watches: HashMap::new(),
            places: HashMap::new(),
            lost: HashSet::new(),
        }
    }

    /// Makes a place known.
    pub(crate) fn enter(&mut self, place: u64) {
        self.places.entry(place).or_default();
    }

    /// Forgets a place, and stops watching what nobody else wants to know of.
    pub(crate) fn leave(&mut self, place: u64) {
        self.clear(place);
        self.places.remove(&place);
    }

    /// Returns how many folders are watched.
    pub(crate) fn len(&self) -> usize {
        self.watches.len()
    }

    /// Tells whether a place lost a watch since it said what it needs.
    pub(crate) fn is_lost(&self, place: u64) -> bool {
        self.lost.contains(&place)
    }

    fn clear(&mut self, place: u64) {
        self.lost.remove(&place);
        for folder in self.places.get_mut(&place).map(std::mem::take).unwrap_or_default() {
            self.release(place, &folder);
        }
    }

    fn release(&mut self, place: u64, path: &Arc<Path>) {
        let Some(folder) = self.folders.get_mut(path) else { return };
        folder.users.retain(|(user, _)| *user != place);
        if folder.users.is_empty() {
            let watch = folder.watch;
            self.folders.remove(path);
            if let Some(watch) = watch {
                self.end(watch, path);
            }
        }
    }

    /// Ends a watch, unless it is another folder's by now: a folder that moved keeps its number.
    fn end(&mut self, watch: i32, path: &Path) {
        if self.watches.get(&watch).is_some_and(|own| **own == *path) {
            self.watches.remove(&watch);
            if let Ok(watcher) = &self.watcher {
                watcher.remove(watch);
            }
        }
    }

    /// Watches what a place needs and nothing else for it; what is at or below `hit.moved` is watched anew. Returns the
    /// folders of which the place was not told everything until now, whoever else was, or why it cannot be watched.
    pub(crate) fn set(&mut self, place: u64, needs: &Needs, hit: &Hit) -> Result<Vec<PathBuf>, String> {
        let Some(old) = self.places.remove(&place) else { return Ok(Vec::new()) };
        self.lost.remove(&place);
        for path in old.iter().filter(|path| !needs.folders.contains_key(&***path)) {
            self.release(place, path);
        }
        let (mut own, mut new) = (Vec::with_capacity(needs.folders.len()), Vec::new());
        for (path, interest) in &needs.folders {
            let (path, was_told) = self.hold(place, path, interest);
            own.push(Arc::clone(&path));
            let known = self.folders.get(&path).and_then(|folder| folder.watch);
            let is_moved = || path.ancestors().any(|outer| hit.moved.contains(outer));
            if known.is_some() && !hit.everything && (hit.moved.is_empty() || !is_moved()) {
                new.extend((!was_told).then(|| path.to_path_buf()));
                continue;
            }
            match self.watch(&path, known) {
                Ok(is_new) => new.extend((is_new || (known.is_some() && !was_told)).then(|| path.to_path_buf())),
                Err(why) => {
                    self.places.insert(place, own);
                    self.clear(place);
                    return Err(why);
                }
            }
        }
        self.places.insert(place, own);
        Ok(new)
    }

    /// Notes what a place wants to know of a folder; tells whether it would have been told of that before.
    fn hold(&mut self, place: u64, path: &Path, interest: &Interest) -> (Arc<Path>, bool) {
        let path = self.folders.get_key_value(path).map_or_else(|| Arc::from(path), |(path, _)| Arc::clone(path));
        let users = &mut self.folders.entry(Arc::clone(&path)).or_default().users;
        let was_told = if let Some((_, own)) = users.iter_mut().find(|(user, _)| *user == place) {
            let was_told = own.covers(interest);
            own.clone_from(interest);
            was_told
        } else {
            users.push((place, interest.clone()));
            false
        };
        (path, was_told)
    }

    /// Watches a folder; returns whether that is new.
    fn watch(&mut self, path: &Arc<Path>, known: Option<i32>) -> Result<bool, String> {
        let watcher = self.watcher.as_ref().map_err(Clone::clone)?;
        if known.is_none() && self.watches.len() >= self.budget {
            return Err(format!("more than {} folders would have to be watched", self.budget));
        }
        let watch = match watcher.add(path) {
            Ok(watch) => Some(watch),
            Err(NotWatched::Absent) => None,
            Err(NotWatched::Full(why)) => return Err(why),
        };
        if watch == known && watch.is_none_or(|watch| self.watches.get(&watch) == Some(path)) {
            return Ok(false);
        }
        if let Some(old) = known {
            self.end(old, path);
        }
        if let Some(watch) = watch {
            self.take_over(watch, path)?;
        }
        if let Some(folder) = self.folders.get_mut(path) {
            folder.watch = watch;
        }
        Ok(watch.is_some())
    }

    /// Gives a watch to a folder. If it was another's, that one has moved here; if it has not, one folder has two paths,
    /// and the system tells of one only.
    fn take_over(&mut self, watch: i32, path: &Arc<Path>) -> Result<(), String> {
        let other = self.watches.get(&watch).filter(|other| *other != path).cloned();
        if let Some(other) = &other {
            if is_one_folder(other, path) {
                return Err(format!("`{}` and `{}` are one folder", path_text(other), path_text(path)));
            }
            if let Some(folder) = self.folders.get_mut(other) {
                folder.watch = None;
                self.lost.extend(folder.users.iter().map(|(user, _)| *user));
            }
        }
        self.watches.insert(watch, Arc::clone(path));
        Ok(())
    }

    /// Finds the places that something matters to.
    pub(crate) fn route(&mut self, event: &Event, hits: &mut HashMap<u64, Hit>) {
        match event {
            Event::Overflow => {
                for place in self.places.keys() {
                    hits.entry(*place).or_default().join(Hit::all());
                }
            }
            Event::Lost { watch, moved } => self.lose(*watch, *moved),
            Event::Itself { watch } => {
                let Some(path) = self.watches.get(watch) else { return };
                let users = self.folders.get(path).map_or(&[][..], |folder| &folder.users);
                for (place, interest) in users.iter().filter(|(_, interest)| interest.searched || interest.all) {
                    let hit = hits.entry(*place).or_default();
                    hit.settings |= interest.all;
                    hit.touch(path.to_path_buf(), true);
                }
            }
            Event::Entry { watch, name, folder } => {
                let Some(path) = self.watches.get(watch) else { return };
                let users = self.folders.get(path).map_or(&[][..], |folder| &folder.users);
                for (place, interest) in users {
                    let named = interest.named(name);
                    if interest.searched || interest.all || named.is_some() {
                        let hit = hits.entry(*place).or_default();
                        hit.settings |= interest.all || named == Some(true);
                        hit.ways |= named.is_some();
                        hit.touch(path.join(name), *folder);
                    }
                }
            }
        }
    }

    fn lose(&mut self, watch: i32, moved: bool) {
        let Some(path) = self.watches.remove(&watch) else { return };
        if let Some(watcher) = self.watcher.as_ref().ok().filter(|_| moved) {
            watcher.remove(watch);
        }
        if let Some(folder) = self.folders.get_mut(&path).filter(|folder| folder.watch == Some(watch)) {
            folder.watch = None;
            self.lost.extend(folder.users.iter().map(|(user, _)| *user));
        }
    }
}

fn is_one_folder(left: &Path, right: &Path) -> bool {
    let number = |path: &Path| path.symlink_metadata().ok().map(|stat| (stat.dev(), stat.ino()));
    number(left).is_some_and(|left| number(right) == Some(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a place was not told of until now has to be looked at, whoever else was told of it.
    #[test]
    #[expect(clippy::print_stdout, reason = "it says why it is skipped")]
    fn a_folder_is_new_to_each_place_and_for_each_name() {
        let Ok(watcher) = Watcher::new() else { return println!("skipped: nothing can be watched here") };
        let dir = tempfile::tempdir().unwrap();
        let folder = fs_err::canonicalize(dir.path()).unwrap();
        let mut registry = Registry::new(Ok(Arc::new(watcher)), 100);
        registry.enter(1);
        registry.enter(2);
        let needs = |names: &[&str], settings: bool| {
            let names = names.iter().map(|name| (OsString::from(name), settings)).collect();
            let interest = Interest { names, ..Interest::default() };
            Needs { folders: HashMap::from([(folder.clone(), interest)]) }
        };
        let mut is_new = |place, needs: &Needs| !registry.set(place, needs, &Hit::default()).unwrap().is_empty();
        assert!(is_new(1, &needs(&["a"], false)));
        assert!(!is_new(1, &needs(&["a"], false)));
        assert!(is_new(2, &needs(&["a"], false)), "another place was not told");
        assert!(is_new(1, &needs(&["a", "b"], false)), "nobody told of another name");
        assert!(is_new(1, &needs(&["a", "b"], true)), "nobody said that settings come from it");
        assert!(!is_new(1, &needs(&["b"], false)), "less is known already");
        let mut searched = Needs::default();
        searched.search(&folder);
        assert!(is_new(1, &searched) && !is_new(1, &searched));
    }
}
