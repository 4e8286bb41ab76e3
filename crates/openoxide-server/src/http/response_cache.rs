//! Caches encoded responses: an entry holds while its snapshot, and the files that it depends on, are the same.
//!
//! The rule of freshness, for every route:
//!
//! * The snapshot is part of the key, so an entry is found only for the snapshot that it was made from.
//! * A response that depends on files ([`Dependencies::Folder`]) holds while their stamps do, and for at most a second: a
//!   program that changes a file through shared memory changes its stamps late, or never.
//! * A response that is a single file ([`Dependencies::File`]) holds while, in addition, the file has the same bytes.
//!
//! The cache is bounded in entries and bytes. When it is full, it first drops what depends on files: that lives for a
//! second anyway, while lists of skills live until something changes.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{collections::HashMap, io::Read as _};

use openoxide_app::{Caller, FolderStamps, Snapshot};
use rustix::fs::{Mode, OFlags};

use super::EncodedResponse;
use crate::Peer;

const ENTRIES_MAX: usize = 512;
/// The most bytes of all responses together.
const BYTES_MAX: usize = 64 * 1024 * 1024;
/// The most bytes of one response that depends on files.
const FILE_RESPONSE_MAX: usize = 2 * 1024 * 1024;
/// How long the stamps of files are believed.
const STAMPS_LIFETIME: Duration = Duration::from_secs(1);

/// What a response answers: a route, what of it was requested, for whom, and from which snapshot.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey {
    snapshot: SnapshotRef,
    route: &'static str,
    /// What the request names, such as a skill.
    subject: String,
    /// What it says besides, such as a file or arguments.
    detail: Option<String>,
    caller: Option<Caller>,
    /// Who may see paths: a remote client gets another response.
    peer: Peer,
}

impl CacheKey {
    pub(crate) fn new(snapshot: &Arc<Snapshot>, route: &'static str, subject: String, peer: Peer) -> CacheKey {
        let snapshot = SnapshotRef(Arc::downgrade(snapshot));
        CacheKey { snapshot, route, subject, detail: None, caller: None, peer }
    }

    /// Adds who uses a skill, and with which file or arguments.
    #[must_use]
    pub(crate) fn used_by(self, caller: Caller, detail: Option<String>) -> CacheKey {
        CacheKey { caller: Some(caller), detail, ..self }
    }
}

/// A snapshot by its identity. The weak reference keeps the address from being used again, so equal addresses mean the
/// same snapshot.
#[derive(Clone)]
struct SnapshotRef(Weak<Snapshot>);

impl PartialEq for SnapshotRef {
    fn eq(&self, other: &SnapshotRef) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl Eq for SnapshotRef {}

impl Hash for SnapshotRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().hash(state);
    }
}

/// What a response depends on besides its snapshot.
pub(crate) enum Dependencies {
    None,
    /// Files, by the stamps that they had before the response was made.
    Folder(FolderStamps),
    /// One file, which is the response: by its stamps and its bytes.
    File(FolderStamps, PathBuf),
}

/// A response in the cache, and the skill that the audit log names when it is sent again.
pub(crate) struct CachedResponse {
    pub(crate) response: EncodedResponse,
    pub(crate) skill: String,
    pub(crate) digest: Option<String>,
}

pub(crate) struct ResponseCache {
    entries: Mutex<Entries>,
    bytes_max: usize,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<CacheKey, Arc<Entry>>,
    bytes: usize,
}

/// A response in the cache, with what it depends on.
pub(crate) struct Entry {
    pub(crate) cached: CachedResponse,
    dependencies: Dependencies,
    since: Instant,
}

impl Default for ResponseCache {
    fn default() -> ResponseCache {
        ResponseCache { entries: Mutex::default(), bytes_max: BYTES_MAX }
    }
}

impl ResponseCache {
    /// Returns a response that is still fresh. This may look at files.
    pub(crate) fn get(&self, key: &CacheKey) -> Option<Arc<Entry>> {
        let entry = Arc::clone(self.lock().by_key.get(key)?);
        // Files are looked at without the lock, which every other request waits for.
        entry.is_fresh().then_some(entry)
    }

    /// Caches a response, if what it depends on has not changed since it was made.
    pub(crate) fn insert(&self, key: CacheKey, dependencies: Dependencies, cached: CachedResponse) {
        let size = cached.response.bytes.len();
        let entry = Entry { cached, dependencies, since: Instant::now() };
        let limit = if entry.depends_on_files() { FILE_RESPONSE_MAX.min(self.bytes_max) } else { self.bytes_max };
        if size > limit || !entry.stamps_hold() {
            return;
        }
        let mut entries = self.lock();
        entries.retain(|key, _| key.snapshot.0.strong_count() > 0);
        let is_full = |entries: &Entries| entries.by_key.len() >= ENTRIES_MAX || entries.bytes + size > self.bytes_max;
        if is_full(&entries) {
            entries.retain(|_, entry| !entry.depends_on_files());
        }
        if is_full(&entries) {
            *entries = Entries::default();
        }
        entries.bytes += size;
        if let Some(old) = entries.by_key.insert(key, Arc::new(entry)) {
            entries.bytes -= old.size();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn retain(&mut self, keep: impl Fn(&CacheKey, &Entry) -> bool) {
        let bytes = &mut self.bytes;
        self.by_key.retain(|key, entry| {
            let is_kept = keep(key, entry);
            *bytes -= if is_kept { 0 } else { entry.size() };
            is_kept
        });
    }
}

impl Entry {
    fn size(&self) -> usize {
        self.cached.response.bytes.len()
    }

    fn depends_on_files(&self) -> bool {
        !matches!(self.dependencies, Dependencies::None)
    }

    fn is_fresh(&self) -> bool {
        let is_recent = !self.depends_on_files() || self.since.elapsed() <= STAMPS_LIFETIME;
        let has_same_bytes = || match &self.dependencies {
            Dependencies::File(_, path) => has_bytes(path, &self.cached.response.bytes),
            Dependencies::None | Dependencies::Folder(_) => true,
        };
        is_recent && self.stamps_hold() && has_same_bytes()
    }

    fn stamps_hold(&self) -> bool {
        match &self.dependencies {
            Dependencies::None => true,
            Dependencies::Folder(stamps) | Dependencies::File(stamps, _) => stamps.still_hold(),
        }
    }
}

fn has_bytes(path: &Path, expected: &[u8]) -> bool {
    // By now a link, a pipe or a device may be there: it is neither followed nor waited for, and no more of it is read.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, Mode::empty()) else { return false };
    let limit = expected.len() + 1;
    let mut bytes = Vec::with_capacity(limit);
    let read = std::fs::File::from(file).take(limit as u64).read_to_end(&mut bytes);
    read.is_ok() && bytes == expected
}

#[cfg(test)]
mod tests;
