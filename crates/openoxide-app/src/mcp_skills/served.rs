//! What is served of a skill: its frontmatter and its files, both read from the same bytes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{collections::HashMap, time::SystemTime};

use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::parse::frontmatter_json;
use openoxide_skills::resource::{
    FileManifest, FolderLimits, ManifestFile, ReadLimit, ResourceBytes, SkillDir, SnapshotError,
};
use openoxide_skills::text::{visible, visible_line};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::address::{OWN_FILE, address};
use crate::skill_id::is_standard_description;

/// How often a skill that changes while it is read is read again.
const ATTEMPTS: usize = 3;

/// What is served of a skill.
#[derive(Clone)]
pub struct ServedSkill {
    /// Its frontmatter, whole.
    pub frontmatter: Map<String, Value>,
    /// Its files; absent: they cannot be listed one by one.
    pub files: Option<FileManifest>,
    /// The digest of its own file.
    own: [u8; 32],
}

impl ServedSkill {
    /// Returns its description, as it stands in a list.
    pub fn description(&self) -> Option<String> {
        Some(visible_line(self.frontmatter.get("description")?.as_str()?))
    }

    /// Returns the same without the files that may not be read.
    pub(super) fn only(self: Arc<Self>, may_read: impl Fn(&Path) -> bool) -> Arc<ServedSkill> {
        let denied = |file: &ManifestFile| !may_read(&file.path);
        if !self.files.iter().flat_map(|files| &files.files).any(denied) {
            return self;
        }
        let mut served = Arc::unwrap_or_clone(self);
        if let Some(files) = &mut served.files {
            files.files.retain(|file| !denied(file));
        }
        Arc::new(served)
    }

    /// Writes it as an entry of a list of skills.
    pub fn entry(&self, root: &str) -> Value {
        let resources = match &self.files {
            None => json!("dynamic"),
            Some(files) => {
                let file = |file: &ManifestFile| json!({ "uri": address(root, &file.path), "digest": file.digest(), "size": file.size });
                files.files.iter().map(file).collect()
            }
        };
        json!({ "uri": address(root, Path::new(OWN_FILE)), "frontmatter": self.frontmatter, "resources": resources })
    }
}

/// A cache of what was served, so that only files that changed are read again.
#[derive(Default)]
pub struct ServedCache {
    served: Mutex<HashMap<PathBuf, Arc<ServedSkill>>>,
}

impl ServedCache {
    /// Drops every skill that is not in a catalog any more.
    pub(super) fn retain(&self, catalog: &Catalog) {
        let there: std::collections::HashSet<&Path> = catalog.skills.iter().map(Entry::canonical).collect();
        self.lock().retain(|path, _| there.contains(path.as_path()));
    }

    /// Returns a skill as it is on disk now; `None` if it cannot be served.
    pub(super) fn get(&self, catalog: &Catalog, entry: &Entry) -> Option<Arc<ServedSkill>> {
        let known = self.lock().get(entry.canonical()).cloned();
        for _ in 0..ATTEMPTS {
            let dir = SkillDir::of(catalog, entry).ok()?;
            let kept = known.as_ref().and_then(|known| known.files.as_ref());
            let files = match dir.file_manifest(&FolderLimits::LISTED, kept, SystemTime::now()) {
                Ok(files) => Some(files),
                Err(SnapshotError::Changed(_)) => continue,
                Err(SnapshotError::Folder(_) | SnapshotError::NoManifest(_) | SnapshotError::Escapes(_)) => {
                    return None;
                }
                // Too large, or without a digest: its files can be read, but not listed.
                Err(_) => None,
            };
            let listed = files.as_ref().and_then(|files| files.file(Path::new(OWN_FILE))).map(|file| file.sha256);
            let (own, frontmatter) = match known.as_ref().filter(|known| Some(known.own) == listed) {
                Some(known) => (known.own, known.frontmatter.clone()),
                None => own_file(&dir, entry)?,
            };
            if listed.is_none_or(|listed| listed == own) {
                let served = Arc::new(ServedSkill { frontmatter, files, own });
                self.lock().insert(entry.canonical().to_owned(), Arc::clone(&served));
                return Some(served);
            }
        }
        None
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<ServedSkill>>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what a frontmatter says so that it hides nothing.
fn shown(fields: Map<String, Value>) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (visible(&key).into_owned(), shown_value(value))).collect()
}

fn shown_value(value: Value) -> Value {
    match value {
        Value::String(text) => visible(&text).into(),
        Value::Array(items) => items.into_iter().map(shown_value).collect(),
        Value::Object(fields) => Value::Object(shown(fields)),
        value => value,
    }
}

/// Reads a skill's own file: its digest and its frontmatter, if that is by the standard.
fn own_file(dir: &SkillDir, entry: &Entry) -> Option<([u8; 32], Map<String, Value>)> {
    let ResourceBytes::Binary(bytes) = dir.read_manifest(ReadLimit::Bytes).ok()?.bytes else { return None };
    let frontmatter = frontmatter_json(std::str::from_utf8(&bytes).ok()?).ok()?;
    let name = entry.skill.name.rsplit(':').next()?;
    let description = frontmatter.get("description")?.as_str()?;
    let is_good = frontmatter.get("name")?.as_str()? == name && is_standard_description(description);
    is_good.then(|| (Sha256::digest(&bytes).into(), shown(frontmatter)))
}
