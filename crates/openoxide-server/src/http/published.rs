//! Decides which skills, and which of their files, are published.
//!
//! A skill is published if it counts for the user and the model alike, has a name that the standard allows and nobody
//! else has, and may be called and read by a model without a question. A file is published if a model may read it
//! without a question. One that may not be read is not there for others, and since the skill without it is not the whole
//! skill, it gets no archive then. Files that by their name hold secrets ([`is_secret`]) are never published: the archive is
//! made without them, and its digest is that archive's.
//!
//! Folders are read again only where a file's device, inode, size or times are others than before.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use openoxide_runtime::{Runtime, Session};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::Caller;
use openoxide_skills::resource::{
    FileDigest, FileManifest, ManifestLimits, ResourceRequest, SkillDir, Snapshot, SnapshotLimits,
};

use super::archive::{PACKED_MAX, pack};
use crate::encoding::digest;

/// Most bytes of a description.
const DESCRIPTION_MAX: usize = 1024;
/// How many folders are remembered.
const FOLDERS_MAX: usize = 16 * 1024;

/// What was in folders, and the digests of their archives.
#[derive(Default)]
pub(crate) struct PublishedCache {
    folders: Mutex<HashMap<PathBuf, Known>>,
}

/// What was in a folder.
#[derive(Clone)]
struct Known {
    manifest: Arc<FileManifest>,
    snapshot: Arc<Snapshot>,
    /// The digest of the archive of some of its files.
    archive: Option<Arc<(Vec<PathBuf>, String)>>,
}

impl PublishedCache {
    fn known(&self, folder: &Path) -> Option<Known> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).get(folder).cloned()
    }

    fn keep(&self, folder: &Path, known: Known) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if folders.len() >= FOLDERS_MAX && !folders.contains_key(folder) {
            folders.clear();
        }
        folders.insert(folder.to_owned(), known);
    }

    /// Looks at a folder, and reads what is not as it was.
    fn look(&self, path: &Path, dir: &SkillDir) -> Option<Known> {
        let limits = SnapshotLimits { bytes: PACKED_MAX, ..SnapshotLimits::default() };
        let SnapshotLimits { entries, bytes, depth, .. } = limits;
        let before = self.known(path);
        let manifest = before.as_ref().map(|known| &*known.manifest);
        let most = ManifestLimits { files: entries, bytes, entries, depth };
        let manifest = dir.file_manifest(&most, manifest, SystemTime::now()).ok()?;
        if let Some(known) = before.filter(|known| *known.manifest == manifest) {
            return Some(known);
        }
        let snapshot = Arc::new(dir.snapshot(&limits).ok()?);
        let known = Known { manifest: Arc::new(manifest), snapshot, archive: None };
        self.keep(path, known.clone());
        Some(known)
    }
}

/// A skill that is published, and what is in its folder now.
pub(crate) struct Published<'c> {
    pub(crate) entry: &'c Entry,
    pub(crate) dir: SkillDir,
    known: Known,
    /// The files that are published, by their place in the snapshot.
    files: Vec<usize>,
    /// Whether nothing is missing but secrets.
    is_whole: bool,
}

impl<'c> Published<'c> {
    fn new(runtime: &'c Runtime, packed: &PublishedCache, entry: &'c Entry) -> Option<Published<'c>> {
        let (skill, is_fine) = (&entry.skill, entry.model && entry.user && is_name(&entry.skill.name));
        if !is_fine || skill.description.is_empty() || skill.description.len() > DESCRIPTION_MAX {
            return None;
        }
        let (catalog, session) = (runtime.catalog(), Session::default());
        runtime.readable(&session, &catalog.call_of(entry), Caller::Model).ok()?;
        let dir = SkillDir::of(catalog, entry).ok()?;
        let known = packed.look(&skill.path, &dir)?;
        let (mut files, mut is_whole) = (Vec::new(), true);
        for (at, file) in known.snapshot.files.iter().enumerate().filter(|(_, file)| !is_secret(&file.path)) {
            let may_read = file.path.to_str().is_some_and(|path| may_read(runtime, &session, entry, path));
            is_whole &= may_read;
            files.extend(may_read.then_some(at));
        }
        // Others look for exactly this file, and follow no links.
        let published = Published { entry, dir, known, files, is_whole };
        published.file("SKILL.md").is_some().then_some(published)
    }

    fn all(&self) -> impl Iterator<Item = &FileDigest> {
        self.files.iter().filter_map(|at| self.known.snapshot.files.get(*at))
    }

    /// Returns its file, if it has no other.
    pub(crate) fn only(&self) -> Option<&FileDigest> {
        let mut all = self.all();
        all.next().filter(|_| self.is_whole && all.next().is_none())
    }

    /// Packs it, if it may be had as a whole.
    pub(crate) fn archive(&self) -> Option<Vec<u8>> {
        if self.is_whole { pack(&self.dir, self.all()).ok()? } else { None }
    }

    /// Returns the digest of its archive.
    pub(crate) fn archive_digest(&self, packed: &PublishedCache) -> Option<String> {
        let paths: Vec<PathBuf> = self.all().map(|file| file.path.clone()).collect();
        if let Some(known) = self.known.archive.as_ref().filter(|known| self.is_whole && known.0 == paths) {
            return Some(known.1.clone());
        }
        let digest = digest(&self.archive()?);
        let known = Known { archive: Some(Arc::new((paths, digest.clone()))), ..self.known.clone() };
        packed.keep(&self.entry.skill.path, known);
        Some(digest)
    }

    /// Finds a file that can be named in an address.
    pub(crate) fn file(&self, path: &str) -> Option<&FileDigest> {
        self.all().find(|file| file.path.to_str() == Some(path)).filter(|_| is_path(path))
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let paths = self.all().filter_map(|file| file.path.to_str()).filter(|path| is_path(path));
        let mut paths: Vec<String> = paths.map(str::to_owned).collect();
        paths.sort_by_key(|path| path != "SKILL.md");
        paths
    }

    pub(crate) fn description(&self) -> String {
        self.entry.skill.description.to_string()
    }
}

/// Returns the skills that are published; a name that several have is none's.
pub(crate) fn published<'c>(runtime: &'c Runtime, packed: &'c PublishedCache) -> impl Iterator<Item = Published<'c>> {
    let catalog = runtime.catalog();
    let mut names: HashMap<&str, usize> = HashMap::with_capacity(catalog.skills.len());
    for entry in &catalog.skills {
        *names.entry(&entry.skill.name).or_default() += 1;
    }
    let alone = catalog.skills.iter().filter(move |entry| names.get(&*entry.skill.name) == Some(&1));
    alone.filter_map(|entry| Published::new(runtime, packed, entry))
}

/// Finds a skill that is published.
pub(crate) fn find<'c>(runtime: &'c Runtime, packed: &PublishedCache, name: &str) -> Option<Published<'c>> {
    let mut named = runtime.catalog().skills.iter().filter(|entry| *entry.skill.name == *name);
    let entry = named.next()?;
    if named.next().is_some() { None } else { Published::new(runtime, packed, entry) }
}

/// Tells whether a model may read a file, and nobody has to be asked.
fn may_read(runtime: &Runtime, session: &Session, entry: &Entry, path: &str) -> bool {
    let asked = ResourceRequest::by_path(&entry.skill.name, path, Caller::Model, &runtime.view().host.resource);
    runtime.before_reading(session, entry, &asked).is_ok_and(|questions| questions.is_empty())
}

/// Tells whether a file holds secrets, by its name or that of a folder that it is in: `.env*`, `*.pem`, `*.key`, `id_rsa*`,
/// `id_ed25519*`, `.npmrc`, `.netrc` and `credentials*`, however they are capitalized.
fn is_secret(path: &Path) -> bool {
    let is_one = |name: &str| {
        let begins = [".env", "id_rsa", "id_ed25519", "credentials"];
        let ends = [".pem", ".key"];
        begins.iter().any(|begin| name.starts_with(begin))
            || ends.iter().any(|end| name.ends_with(end))
            || matches!(name, ".npmrc" | ".netrc")
    };
    path.iter().any(|name| is_one(&name.to_string_lossy().to_lowercase()))
}

/// Tells whether the standard allows a name.
fn is_name(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.len() <= 64 && name.split('-').all(is_part)
}

/// Tells whether a path can stand in an index.
fn is_path(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_graphic() && !br"\?#[]%".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_that_can_be_published() {
        assert!(["a", "a-b2", "9"].iter().all(|name| is_name(name)));
        assert!(!["", "A", "a_b", "-a", "a-", "a--b", "é", "a:b"].iter().any(|name| is_name(name)));
        assert!(is_path("ref/a-1.md") && !is_path("a b") && !is_path("a?b") && !is_path("é.md"));
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        let secrets = [
            ".env",
            ".ENV.local",
            "a/x.pem",
            "b.Key",
            "id_rsa",
            "id_ed25519.pub",
            ".npmrc",
            ".netrc",
            "credentials.json",
        ];
        assert!(secrets.iter().all(|name| is_secret(Path::new(name))));
        assert!(is_secret(Path::new("credentials/token.txt")));
        assert!(!["SKILL.md", "keys.md", "env.md", "pem/a.md"].iter().any(|name| is_secret(Path::new(name))));
    }
}
