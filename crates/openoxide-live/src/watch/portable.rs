//! Watches folders through `notify`: `FSEvents` on macOS, `kqueue` on the BSDs.
//!
//! `notify` names paths, while the registry wants a number that changes when another folder takes the path. So each watched
//! folder is remembered with its inode.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{Config, ErrorKind, EventKind, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{Event, WatchError};
use crate::mailbox::Mailbox;

/// With more events waiting than this, searching everything is cheaper.
const MAX_WAITING: usize = 16_384;
/// How often a folder is tried that is replaced while it is being watched.
const ATTEMPTS: usize = 3;

/// The watcher of `notify`, with numbers for its folders.
pub(crate) struct Watcher {
    folders: Mutex<Folders>,
    reported: Arc<Mailbox<Reported>>,
}

/// An event that `notify` reported on its own thread.
enum Reported {
    Change(EventKind, PathBuf),
    Overflow,
}

struct Folders {
    notify: RecommendedWatcher,
    /// Sorted, so that the folders below a folder are a range.
    by_path: BTreeMap<PathBuf, Folder>,
    by_watch: HashMap<i32, PathBuf>,
    next: i32,
}

#[derive(Clone, Copy)]
struct Folder {
    watch: i32,
    inode: (u64, u64),
}

impl Watcher {
    /// Whether one watch covers all folders below its folder. `FSEvents` allows few watches, and reports when the path to one
    /// changes.
    pub(crate) const COVERS_TREE: bool = cfg!(target_os = "macos");

    pub(crate) fn new() -> Result<Watcher, String> {
        let failed = |error: &dyn std::fmt::Display| format!("folders cannot be watched: {error}");
        let reported = Arc::new(Mailbox::new().map_err(|error| failed(&error))?);
        let own = Arc::clone(&reported);
        // Only changes: with reads as well, a search would cause events that lead to the next search.
        let kinds = EventKindMask::CREATE | EventKindMask::REMOVE | EventKindMask::ALL_MODIFY;
        let config = Config::default().with_event_kinds(kinds).with_follow_symlinks(false);
        // `notify` must not wait for the registry, which may be waiting for it.
        let push = move |event| own.update(|waiting| push(waiting, event));
        let notify = RecommendedWatcher::new(push, config).map_err(|error| failed(&error))?;
        let folders = Folders { notify, by_path: BTreeMap::new(), by_watch: HashMap::new(), next: 1 };
        Ok(Watcher { folders: Mutex::new(folders), reported })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.reported.fd()
    }

    /// Watches a folder, and if `tree` is set also what is below it, where that saves watches. A folder that is watched
    /// already keeps its number.
    pub(crate) fn add(&self, folder: &Path, tree: bool) -> Result<i32, WatchError> {
        self.folders().add(folder, tree && Watcher::COVERS_TREE)
    }

    pub(crate) fn remove(&self, watch: i32) {
        let mut folders = self.folders();
        if let Some(path) = folders.by_watch.get(&watch).cloned() {
            folders.forget(&path);
        }
    }

    /// Passes on all events that wait.
    pub(crate) fn read(&self, mut take: impl FnMut(Event)) {
        for reported in self.reported.take() {
            match reported {
                Reported::Overflow => take(Event::Overflow),
                Reported::Change(kind, path) => self.folders().report(kind, &path, &mut take),
            }
        }
    }

    fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push(waiting: &mut Vec<Reported>, event: notify::Result<notify::Event>) {
    match event {
        Ok(event) if !event.need_rescan() && waiting.len() < MAX_WAITING => {
            waiting.extend(event.paths.into_iter().map(|path| Reported::Change(event.kind, path)));
        }
        _ if matches!(waiting.last(), Some(Reported::Overflow)) => {}
        _ => waiting.push(Reported::Overflow),
    }
}

impl Folders {
    fn add(&mut self, path: &Path, tree: bool) -> Result<i32, WatchError> {
        for _ in 0..ATTEMPTS {
            let Some(inode) = inode_of_folder(path) else { return Err(WatchError::Absent) };
            if let Some(known) = self.by_path.get(path).filter(|known| known.inode == inode) {
                return Ok(known.watch);
            }
            self.forget(path);
            let mode = if tree { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            self.notify.watch(path, mode).map_err(|error| match error.kind {
                ErrorKind::MaxFilesWatch => WatchError::LimitReached("the system watches no more folders".to_owned()),
                _ => WatchError::Absent,
            })?;
            // Another folder may have taken the path while `notify` opened it.
            if inode_of_folder(path) == Some(inode) {
                let watch = self.next;
                self.next += 1;
                self.by_path.insert(path.to_owned(), Folder { watch, inode });
                self.by_watch.insert(watch, path.to_owned());
                return Ok(watch);
            }
            drop(self.notify.unwatch(path));
        }
        Err(WatchError::Absent)
    }

    fn forget(&mut self, path: &Path) {
        if let Some(folder) = self.by_path.remove(path) {
            self.by_watch.remove(&folder.watch);
            // The watch of a folder that is gone may have ended by itself.
            drop(self.notify.unwatch(path));
        }
    }

    /// Translates a change of a path: it is an entry of its parent, and may be a watched folder itself.
    fn report(&mut self, kind: EventKind, path: &Path, take: &mut impl FnMut(Event)) {
        let known = self.by_path.get(path).copied();
        if let (Some(parent), Some(name)) =
            (path.parent().and_then(|parent| self.by_path.get(parent)), path.file_name())
        {
            let folder = may_need_watch(kind) && (known.is_some() || inode_of_folder(path).is_some());
            take(Event::Changed { watch: parent.watch, name: Some(OsString::from(name)), folder });
        }
        let Some(known) = known else { return };
        take(Event::Changed { watch: known.watch, name: None, folder: true });
        if matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))) {
            // `notify` ends the watches below such a folder, or goes on to name its old path.
            let range = self.by_path.range(path.to_owned()..).map(|(path, _)| path.clone());
            let below: Vec<PathBuf> = range.take_while(|below| below.starts_with(path)).collect();
            for folder in below {
                let watch = self.by_path[&folder].watch;
                self.forget(&folder);
                take(Event::Lost { watch, moved: false });
            }
        }
    }
}

/// Returns whether a folder may need a new watch after this change.
fn may_need_watch(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(CreateKind::File)
        | EventKind::Remove(RemoveKind::File)
        | EventKind::Modify(ModifyKind::Data(_))
        | EventKind::Access(_) => false,
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Other => true,
    }
}

/// Returns the device and the inode of a folder; links are not followed.
fn inode_of_folder(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().filter(std::fs::Metadata::is_dir).map(|stat| (stat.dev(), stat.ino()))
}
