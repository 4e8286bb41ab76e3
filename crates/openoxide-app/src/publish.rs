//! Use case: publishes skills: which of them, their index entries, files and archives.
//!
//! A skill is published if it is active for the user and the model alike, has a name that the standard allows and no other
//! skill has, and may be called and read by a model without a question. A file is published if a model may read it
//! without a question. A file that may not be read does not exist for clients, and since the skill without it is not
//! complete, the skill has no archive then. Files that by their name hold secrets ([`is_secret`]) are never published: the
//! archive is made without them, and its digest is that archive's.
//!
//! A folder is read again only where the device, inode, size or times of a file changed.

mod archive;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{collections::HashMap, time::SystemTime};

use openoxide_live::Snapshot;
use openoxide_runtime::{Runtime, Session};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::{Caller, ResourceRules};
use openoxide_skills::resource::{FileDigest, FileManifest, FolderLimits, FolderSnapshot, SkillDir, media_type};
use openoxide_skills::text::visible_line;

use self::archive::{PACKED_MAX, bytes_of, pack};
use crate::encoding::{digest, hex};
use crate::skill_id::{is_standard_description, is_standard_name};
use crate::{Error, ErrorKind, read::questions_before};

/// How many folders are remembered.
const FOLDERS_MAX: usize = 16 * 1024;

/// What was in folders, and the digests of their archives.
#[derive(Default)]
pub struct PublishedCache {
    folders: Mutex<HashMap<PathBuf, Known>>,
}

#[derive(Clone)]
struct Known {
    manifest: Arc<FileManifest>,
    snapshot: Arc<FolderSnapshot>,
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
        let limits = FolderLimits { bytes: PACKED_MAX, ..FolderLimits::SNAPSHOT };
        let before = self.known(path);
        let manifest = before.as_ref().map(|known| &*known.manifest);
        let manifest = dir.file_manifest(&limits, manifest, SystemTime::now()).ok()?;
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
pub struct Published<'c> {
    rules: &'c ResourceRules,
    entry: &'c Entry,
    dir: SkillDir,
    known: Known,
    /// The files that are published, by their place in the snapshot.
    files: Vec<usize>,
    /// Whether nothing is missing but secrets.
    is_whole: bool,
}

impl<'c> Published<'c> {
    fn new(runtime: &'c Runtime, packed: &PublishedCache, entry: &'c Entry) -> Option<Published<'c>> {
        let (skill, is_fine) = (&entry.skill, entry.model && entry.user && is_standard_name(&entry.skill.name));
        if !is_fine || !is_standard_description(&skill.description) {
            return None;
        }
        let (catalog, session) = (runtime.catalog(), Session::default());
        runtime.readable(&session, &catalog.call_of(entry), Caller::Model).ok()?;
        let dir = SkillDir::of(catalog, entry).ok()?;
        let known = packed.look(&skill.path, &dir)?;
        let (mut files, mut is_whole) = (Vec::new(), true);
        for (at, file) in known.snapshot.files.iter().enumerate().filter(|(_, file)| !is_secret(&file.path)) {
            let questions = file.path.to_str().and_then(|_| questions_before(runtime, &session, entry, &file.path));
            let may_read = questions.is_some_and(|questions| questions.is_empty()) && !dir.hides(&file.path);
            is_whole &= may_read;
            files.extend(may_read.then_some(at));
        }
        // Others look for exactly this file, and follow no links.
        let rules = &runtime.view().host.resource;
        let published = Published { rules, entry, dir, known, files, is_whole };
        published.file("SKILL.md").is_some().then_some(published)
    }

    fn all(&self) -> impl Iterator<Item = &FileDigest> {
        self.files.iter().filter_map(|at| self.known.snapshot.files.get(*at))
    }

    /// Returns its file, if it has no other.
    fn only(&self) -> Option<&FileDigest> {
        let mut all = self.all();
        all.next().filter(|_| self.is_whole && all.next().is_none())
    }

    /// Packs its files, if all of them are published.
    pub fn archive(&self) -> Result<Vec<u8>, Error> {
        self.packed().ok_or_else(not_published)
    }

    fn packed(&self) -> Option<Vec<u8>> {
        if self.is_whole { pack(&self.dir, self.all()).ok()? } else { None }
    }

    /// Returns its entry of an index; `None` if it can be fetched neither as one file nor as an archive.
    pub fn index_entry(&self, cache: &PublishedCache) -> Option<IndexEntry> {
        let name = self.name();
        Some(if let Some(only) = self.only() {
            let digest = format!("sha256:{}", hex(&only.sha256));
            IndexEntry { kind: "skill-md", path: format!("{name}/SKILL.md"), digest }
        } else {
            let digest = self.archive_digest(cache)?;
            IndexEntry { kind: "archive", path: format!("{name}.tar.gz"), digest }
        })
    }

    fn archive_digest(&self, packed: &PublishedCache) -> Option<String> {
        let paths: Vec<PathBuf> = self.all().map(|file| file.path.clone()).collect();
        if let Some(known) = self.known.archive.as_ref().filter(|known| self.is_whole && known.0 == paths) {
            return Some(known.1.clone());
        }
        let digest = digest(&self.packed()?);
        let known = Known { archive: Some(Arc::new((paths, digest.clone()))), ..self.known.clone() };
        packed.keep(&self.entry.skill.path, known);
        Some(digest)
    }

    /// Returns a file that is published and has not changed since: its bytes, and the media type that the host sends it as.
    pub fn read(&self, path: &str) -> Result<(Vec<u8>, &'c str), Error> {
        let bytes = self.file(path).and_then(|file| bytes_of(&self.dir, file)).ok_or_else(not_published)?;
        let content_type = media_type(self.rules, Path::new(path), &bytes);
        Ok((bytes, content_type))
    }

    /// Finds a file that can be named in an address.
    fn file(&self, path: &str) -> Option<&FileDigest> {
        self.all().find(|file| file.path.to_str() == Some(path)).filter(|_| is_path(path))
    }

    /// Returns the paths of the files that an index can name, `SKILL.md` first.
    pub fn files(&self) -> Vec<String> {
        let paths = self.all().filter_map(|file| file.path.to_str()).filter(|path| is_path(path));
        let mut paths: Vec<String> = paths.map(str::to_owned).collect();
        paths.sort_by_key(|path| path != "SKILL.md");
        paths
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.entry.skill.name
    }

    /// Returns what it is for, as it stands in a list.
    pub fn description(&self) -> String {
        visible_line(&self.entry.skill.description)
    }
}

/// How a skill is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// `skill-md` for a file alone, `archive` for a folder.
    pub kind: &'static str,
    /// The path below the address of the index.
    pub path: String,
    /// The digest of what is there.
    pub digest: String,
}

/// Returns the skills that are published; a name that several skills have publishes none of them.
pub fn published<'s>(
    snapshot: &'s Snapshot,
    cache: &'s PublishedCache,
) -> Result<impl Iterator<Item = Published<'s>>, Error> {
    let runtime: &Runtime = snapshot.runtime()?;
    let catalog = runtime.catalog();
    let mut names: HashMap<&str, usize> = HashMap::with_capacity(catalog.skills.len());
    for entry in &catalog.skills {
        *names.entry(&entry.skill.name).or_default() += 1;
    }
    let alone = catalog.skills.iter().filter(move |entry| names.get(&*entry.skill.name) == Some(&1));
    Ok(alone.filter_map(move |entry| Published::new(runtime, cache, entry)))
}

/// Finds a published skill by its name.
pub fn find<'s>(snapshot: &'s Snapshot, cache: &PublishedCache, name: &str) -> Result<Published<'s>, Error> {
    let runtime: &Runtime = snapshot.runtime()?;
    let mut named = runtime.catalog().skills.iter().filter(|entry| *entry.skill.name == *name);
    let (entry, other) = (named.next(), named.next());
    let alone = entry.filter(|_| other.is_none());
    alone.and_then(|entry| Published::new(runtime, cache, entry)).ok_or_else(not_published)
}

/// Returns the error for an address at which nothing is published.
pub fn not_published() -> Error {
    Error::other(ErrorKind::NotFound, "not-published", "nothing is published at this address")
}

/// Tells whether a file holds secrets, by its name or that of a folder that it is in: `.env*`, `*.pem`, `*.key`, `*.p12`,
/// `*.pfx`, the private keys of SSH, what programs keep passwords in, and `credentials*`, however they are capitalized.
fn is_secret(path: &Path) -> bool {
    let is_one = |name: &str| {
        let begins = [".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials"];
        let ends = [".pem", ".key", ".p12", ".pfx"];
        begins.iter().any(|begin| name.starts_with(begin))
            || ends.iter().any(|end| name.ends_with(end))
            || matches!(name, ".npmrc" | ".netrc" | ".pypirc" | ".pgpass" | ".git-credentials")
    };
    path.iter().any(|name| is_one(&name.to_string_lossy().to_lowercase()))
}

/// Tells whether a path can stand in an index.
fn is_path(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_graphic() && !br"\?#[]%".contains(&byte))
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::mcp_skills::{ServedCache, served};
    use crate::testing::snapshot;

    #[test]
    fn names_and_paths_that_can_be_published() {
        assert!(["a", "a-b2", "9"].iter().all(|name| is_standard_name(name)));
        assert!(!["", "A", "a_b", "-a", "a-", "a--b", "é", "a:b"].iter().any(|name| is_standard_name(name)));
        assert!(is_path("ref/a-1.md") && !is_path("a b") && !is_path("a?b") && !is_path("é.md"));
    }

    /// The same text is published over HTTP and served over MCP, or by neither.
    #[test]
    fn a_long_description_is_counted_in_characters() {
        let context = TestContext::new();
        context.skill("near", &"é".repeat(1024)).skill("far", &"é".repeat(1025));
        let snapshot = Arc::new(snapshot(&context));
        let is_published = |name| find(&snapshot, &PublishedCache::default(), name).is_ok();
        let cache = ServedCache::default();
        let served = served(&snapshot, &cache).unwrap();
        let is_served = |name| served.skill_at(&cache, &format!("skill://{name}/SKILL.md")).is_some();
        assert_eq!((is_published("near"), is_served("near")), (true, true));
        assert_eq!((is_published("far"), is_served("far")), (false, false));
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        let secrets = [
            ".env",
            ".ENV.local",
            "a/x.pem",
            "b.Key",
            "id_rsa",
            "id_ecdsa",
            "a.P12",
            ".git-credentials",
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
