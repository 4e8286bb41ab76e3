//! Keeps one watch per folder for as long as a place needs it, and routes events to the places that need them.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openoxide_skills::text::path_text;

use super::needs::{Interest, Needs};
use super::{Event, WatchError, Watcher};
use crate::dirty::Dirty;

/// Which places need which folders, and the watches on them.
pub(crate) struct Registry {
    watcher: Result<Arc<Watcher>, String>,
    max_watches: usize,
    folders: HashMap<Arc<Path>, Folder>,
    watches: HashMap<i32, Arc<Path>>,
    /// The folders of each place.
    places: HashMap<u64, Vec<Arc<Path>>>,
    lost: HashSet<u64>,
}

#[derive(Default)]
struct Folder {
    watch: Option<i32>,
    users: Vec<(u64, Interest)>,
}

impl Registry {
    pub(crate) fn new(watcher: Result<Arc<Watcher>, String>, max_watches: usize) -> Registry {
        Registry {
            watcher,
            max_watches,
            folders: HashMap::new(),
            watches: HashMap::new(),
            places: HashMap::new(),
            lost: HashSet::new(),
        }
    }

    /// Adds a place that needs no folder yet.
    pub(crate) fn enter(&mut self, place: u64) {
        self.places.entry(place).or_default();
    }

    /// Removes a place, and stops watching the folders that no other place needs.
    pub(crate) fn leave(&mut self, place: u64) {
        self.clear(place);
        self.places.remove(&place);
    }

    pub(crate) fn len(&self) -> usize {
        self.watches.len()
    }

    /// Returns whether a place lost a watch since its needs were set.
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
                self.end_watch(watch, path);
            }
        }
    }

    /// Ends a watch, unless it belongs to another path by now: a folder that moved keeps its watch.
    fn end_watch(&mut self, watch: i32, path: &Path) {
        if self.watches.get(&watch).is_some_and(|own| **own == *path) {
            self.watches.remove(&watch);
            if let Ok(watcher) = &self.watcher {
                watcher.remove(watch);
            }
        }
    }

    /// Watches what a place needs, and nothing else for it. Folders at or below `dirty.moved` are watched anew. Returns the
    /// folders whose events did not reach this place until now, or the reason why the place cannot be watched.
    pub(crate) fn set(&mut self, place: u64, needs: &Needs, dirty: &Dirty) -> Result<Vec<PathBuf>, String> {
        let Some(old) = self.places.remove(&place) else { return Ok(Vec::new()) };
        self.lost.remove(&place);
        for path in old.iter().filter(|path| needs.folders.get(&***path).is_none_or(|one| is_spared(needs, path, one)))
        {
            self.release(place, path);
        }
        let (mut own, mut new) = (Vec::with_capacity(needs.folders.len()), Vec::new());
        let mut folders: Vec<_> = needs.folders.iter().filter(|(path, one)| !is_spared(needs, path, one)).collect();
        if Watcher::COVERS_TREE {
            folders.sort_unstable_by_key(|(path, _)| *path);
        }
        for (path, interest) in folders {
            let (path, was_covered) = self.add_user(place, path, interest);
            own.push(Arc::clone(&path));
            let known = self.folders.get(&path).and_then(|folder| folder.watch);
            let is_moved = || path.ancestors().any(|outer| dirty.moved.contains(outer));
            if known.is_some() && !dirty.everything && (dirty.moved.is_empty() || !is_moved()) {
                new.extend((!was_covered).then(|| path.to_path_buf()));
                continue;
            }
            match self.watch(&path, known, interest.searched) {
                Ok(is_new) => new.extend((is_new || (known.is_some() && !was_covered)).then(|| path.to_path_buf())),
                Err(reason) => {
                    self.places.insert(place, own);
                    self.clear(place);
                    return Err(reason);
                }
            }
        }
        self.places.insert(place, own);
        Ok(new)
    }

    /// Records what a place needs to know about a folder. Returns whether the place knew all of it before.
    fn add_user(&mut self, place: u64, path: &Path, interest: &Interest) -> (Arc<Path>, bool) {
        let path = self.folders.get_key_value(path).map_or_else(|| Arc::from(path), |(path, _)| Arc::clone(path));
        let users = &mut self.folders.entry(Arc::clone(&path)).or_default().users;
        let was_covered = if let Some((_, own)) = users.iter_mut().find(|(user, _)| *user == place) {
            let was_covered = own.covers(interest);
            own.clone_from(interest);
            was_covered
        } else {
            users.push((place, interest.clone()));
            false
        };
        (path, was_covered)
    }

    /// Watches a folder. Returns whether the watch is new.
    fn watch(&mut self, path: &Arc<Path>, known: Option<i32>, tree: bool) -> Result<bool, String> {
        let watcher = self.watcher.as_ref().map_err(Clone::clone)?;
        if known.is_none() && self.watches.len() >= self.max_watches {
            return Err(format!("more than {} folders would have to be watched", self.max_watches));
        }
        let watch = match watcher.add(path, tree) {
            Ok(watch) => Some(watch),
            Err(WatchError::Absent) => None,
            Err(WatchError::LimitReached(reason)) => return Err(reason),
        };
        if watch == known && watch.is_none_or(|watch| self.watches.get(&watch) == Some(path)) {
            return Ok(false);
        }
        if let Some(old) = known {
            self.end_watch(old, path);
        }
        if let Some(watch) = watch {
            self.take_over(watch, path)?;
        }
        if let Some(folder) = self.folders.get_mut(path) {
            folder.watch = watch;
        }
        Ok(watch.is_some())
    }

    /// Gives a watch to a path. If it belonged to another path, the folder has moved here. If the folder is at both paths,
    /// the system would report events for one of them only, so that the place cannot be watched.
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

    /// Adds an event to what changed at the places that need to know.
    pub(crate) fn route(&mut self, event: &Event, dirty_places: &mut HashMap<u64, Dirty>) {
        match event {
            Event::Overflow => {
                for place in self.places.keys() {
                    dirty_places.entry(*place).or_default().merge(Dirty::everything());
                }
            }
            Event::Lost { watch, moved } => {
                if Watcher::COVERS_TREE {
                    self.route_lost(*watch, dirty_places);
                }
                self.lose_watch(*watch, *moved);
            }
            Event::Changed { watch, name, folder } => {
                let Some(path) = self.watches.get(watch) else { return };
                let changed = name.as_ref().map_or_else(|| path.to_path_buf(), |name| path.join(name));
                for (place, interest) in self.folders.get(path).map_or(&[][..], |folder| &folder.users) {
                    let named = name.as_ref().and_then(|name| interest.named(name));
                    if interest.searched || interest.all || named.is_some() {
                        let dirty = dirty_places.entry(*place).or_default();
                        dirty.settings |= interest.all || named == Some(true);
                        dirty.links |= named.is_some();
                        dirty.touch(changed.clone(), *folder);
                    }
                }
            }
        }
    }

    /// Where the folders on the way to a watched one are spared, its loss is the only event of their change.
    fn route_lost(&self, watch: i32, dirty_places: &mut HashMap<u64, Dirty>) {
        let Some(path) = self.watches.get(&watch) else { return };
        for (place, _) in self.folders.get(path).map_or(&[][..], |folder| &folder.users) {
            let dirty = dirty_places.entry(*place).or_default();
            (dirty.settings, dirty.links) = (true, true);
            dirty.touch(path.to_path_buf(), true);
        }
    }

    fn lose_watch(&mut self, watch: i32, moved: bool) {
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

/// Returns whether a folder needs no watch of its own, because the watches below it report a change of their path.
fn is_spared(needs: &Needs, path: &Path, interest: &Interest) -> bool {
    Watcher::COVERS_TREE && needs.is_step(path, interest)
}

fn is_one_folder(left: &Path, right: &Path) -> bool {
    let number = |path: &Path| path.symlink_metadata().ok().map(|stat| (stat.dev(), stat.ino()));
    number(left).is_some_and(|left| number(right) == Some(left))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    /// A place has to be refreshed where it got no events until now, even if another place did.
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
        let mut is_new = |place, needs: &Needs| !registry.set(place, needs, &Dirty::default()).unwrap().is_empty();
        assert!(is_new(1, &needs(&["a"], false)));
        assert!(!is_new(1, &needs(&["a"], false)));
        assert!(is_new(2, &needs(&["a"], false)), "another place got no events");
        assert!(is_new(1, &needs(&["a", "b"], false)), "another name was not reported");
        assert!(is_new(1, &needs(&["a", "b"], true)), "a change of settings was not reported");
        assert!(!is_new(1, &needs(&["b"], false)), "less is known already");
        let mut searched = Needs::default();
        searched.watch_skills(&folder);
        assert!(is_new(1, &searched) && !is_new(1, &searched));
    }
}
