//! What is served of a skill: its frontmatter and its files, both from the same bytes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::parse::frontmatter_json;
use openoxide_skills::resource::{FileManifest, ManifestLimits, ReadLimit, ResourceBytes, SkillDir, SnapshotError};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::address::{OWN_FILE, address};

/// How often a skill that changes while it is read is read again.
const ATTEMPTS: usize = 3;
/// Most characters of a description, by the standard.
const DESCRIPTION_MAX: usize = 1024;

/// What is served of a skill.
pub(super) struct Served {
    /// Its frontmatter, whole.
    pub(super) frontmatter: Map<String, Value>,
    /// Its files; absent: they cannot be told one by one.
    pub(super) files: Option<FileManifest>,
    /// The digest of its own file.
    own: [u8; 32],
}

impl Served {
    /// Returns its description.
    pub(super) fn description(&self) -> Option<&str> {
        self.frontmatter.get("description")?.as_str()
    }

    /// Writes it as an entry of a list of skills.
    pub(super) fn entry(&self, root: &str) -> Value {
        let resources = match &self.files {
            None => json!("dynamic"),
            Some(files) => {
                let file = |file: &openoxide_skills::resource::ManifestFile| json!({ "uri": address(root, &file.path), "digest": file.digest(), "size": file.size });
                files.files.iter().map(file).collect()
            }
        };
        json!({ "uri": address(root, Path::new(OWN_FILE)), "frontmatter": self.frontmatter, "resources": resources })
    }
}

/// Remembers what was served, so that only files that changed are read again.
#[derive(Default)]
pub(super) struct Memory {
    served: Mutex<HashMap<PathBuf, Arc<Served>>>,
}

impl Memory {
    /// Forgets every skill that is not in a catalog any more.
    pub(super) fn keep(&self, catalog: &Catalog) {
        let there: std::collections::HashSet<&Path> = catalog.skills.iter().map(Entry::canonical).collect();
        self.lock().retain(|path, _| there.contains(path.as_path()));
    }

    /// Looks at a skill; nothing if it cannot be served as it is now.
    pub(super) fn look(&self, catalog: &Catalog, entry: &Entry) -> Option<Arc<Served>> {
        let known = self.lock().get(entry.canonical()).cloned();
        for _ in 0..ATTEMPTS {
            let dir = SkillDir::of(catalog, entry).ok()?;
            let kept = known.as_ref().and_then(|known| known.files.as_ref());
            let files = match dir.file_manifest(&ManifestLimits::default(), kept, SystemTime::now()) {
                Ok(files) => Some(files),
                Err(SnapshotError::Changed { .. }) => continue,
                Err(
                    SnapshotError::Folder { .. } | SnapshotError::NoManifest { .. } | SnapshotError::Escapes { .. },
                ) => {
                    return None;
                }
                // Too much of it, or no digest of it: what is there can be read, and not told.
                Err(_) => None,
            };
            let told = files.as_ref().and_then(|files| files.file(Path::new(OWN_FILE))).map(|file| file.sha256);
            if let (Some(known), Some(told)) = (&known, told)
                && known.own == told
            {
                let served = Served { frontmatter: known.frontmatter.clone(), files, own: told };
                return Some(self.remember(entry, served));
            }
            let (own, frontmatter) = own_file(&dir, entry)?;
            if told.is_none_or(|told| told == own) {
                return Some(self.remember(entry, Served { frontmatter, files, own }));
            }
        }
        None
    }

    fn remember(&self, entry: &Entry, served: Served) -> Arc<Served> {
        let served = Arc::new(served);
        self.lock().insert(entry.canonical().to_owned(), Arc::clone(&served));
        served
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<Served>>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a skill's own file: its digest and its frontmatter, if that is by the standard.
fn own_file(dir: &SkillDir, entry: &Entry) -> Option<([u8; 32], Map<String, Value>)> {
    let ResourceBytes::Binary(bytes) = dir.read_manifest(ReadLimit::Bytes).ok()?.bytes else { return None };
    let frontmatter = frontmatter_json(std::str::from_utf8(&bytes).ok()?).ok()?;
    let name = entry.skill.name.rsplit(':').next()?;
    let description = frontmatter.get("description")?.as_str()?;
    let is_good = frontmatter.get("name")?.as_str()? == name
        && !description.trim().is_empty()
        && description.chars().count() <= DESCRIPTION_MAX;
    is_good.then(|| (Sha256::digest(&bytes).into(), frontmatter))
}
