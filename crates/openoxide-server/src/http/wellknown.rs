//! Skills at the addresses where other programs look for a site's skills: an index, and what it names.
//!
//! Only skills that count for the user and the model alike, have a name that the standard allows, and are not denied.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use axum::response::Response;
use http::{HeaderValue, StatusCode};
use openoxide_live::State;
use openoxide_runtime::Runtime;
use openoxide_skills::{Catalog, Entry, FileDigest, SkillDir, Snapshot, SnapshotLimits};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::archive::{PACKED_MAX, bytes_of, pack};
use super::asked::{Asking, At, Query, Segments, runtime};
use super::reply::{Ready, hex};
use super::status::Nothing;
use crate::answer::Failure;

/// What says which version an index has.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// Most bytes of a description.
const DESCRIPTION_MAX: usize = 1024;
/// How many digests of packed folders are kept.
const DIGESTS_MAX: usize = 16 * 1024;

/// An index of version 0.2.0.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Index {
    /// Says which version it has.
    #[serde(rename = "$schema")]
    schema: String,
    /// The skills.
    skills: Vec<IndexEntry>,
}

/// A skill of an index.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IndexEntry {
    /// Its name.
    name: String,
    /// `skill-md` for a file alone, `archive` for a folder.
    #[serde(rename = "type")]
    kind: String,
    /// What it is for.
    description: String,
    /// Where it is.
    url: String,
    /// The digest of what is there.
    digest: String,
}

/// An index of version 0.1.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OldIndex {
    /// The skills.
    skills: Vec<OldEntry>,
}

/// A skill of an older index.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OldEntry {
    /// Its name.
    name: String,
    /// What it is for.
    description: String,
    /// Its files, its own first.
    files: Vec<String>,
}

/// Digests of packed folders, by the digest of what is in them.
#[derive(Default)]
pub(crate) struct Packed {
    digests: Mutex<HashMap<String, String>>,
}

impl Packed {
    fn digest(&self, dir: &SkillDir, snapshot: &Snapshot) -> Option<String> {
        let tree = snapshot.digest.to_string();
        if let Some(known) = self.digests.lock().unwrap_or_else(PoisonError::into_inner).get(&tree) {
            return Some(known.clone());
        }
        let digest = digest_of(&pack(dir, snapshot).ok()??);
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if digests.len() >= DIGESTS_MAX {
            digests.clear();
        }
        digests.insert(tree, digest.clone());
        Some(digest)
    }
}

/// A skill that is published, and what is in its folder now.
struct Published<'c> {
    entry: &'c Entry,
    dir: SkillDir,
    snapshot: Snapshot,
}

impl<'c> Published<'c> {
    fn new(catalog: &'c Catalog, entry: &'c Entry) -> Option<Published<'c>> {
        let (skill, is_fine) = (&entry.skill, entry.model && entry.user && is_name(&entry.skill.name));
        if !is_fine || skill.description.is_empty() || skill.description.len() > DESCRIPTION_MAX {
            return None;
        }
        let dir = SkillDir::of(catalog, entry).ok()?;
        let limits = SnapshotLimits { bytes: PACKED_MAX, ..SnapshotLimits::default() };
        let snapshot = dir.snapshot(&limits).ok()?;
        // Others look for exactly this file, and follow no links.
        let published = Published { entry, dir, snapshot };
        published.file("SKILL.md").is_some().then_some(published)
    }

    /// Finds a file that can be named in an address.
    fn file(&self, path: &str) -> Option<&FileDigest> {
        self.snapshot.files.iter().find(|file| file.path.to_str() == Some(path)).filter(|_| is_path(path))
    }

    fn files(&self) -> Vec<String> {
        let paths = self.snapshot.files.iter().filter_map(|file| file.path.to_str()).filter(|path| is_path(path));
        let mut paths: Vec<String> = paths.map(str::to_owned).collect();
        paths.sort_by_key(|path| path != "SKILL.md");
        paths
    }

    fn description(&self) -> String {
        self.entry.skill.description.to_string()
    }
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

fn digest_of(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Returns the skills that are published; a name that several have is none's.
fn published(catalog: &Catalog) -> impl Iterator<Item = Published<'_>> {
    let alone =
        |entry: &&Entry| catalog.skills.iter().filter(|other| other.skill.name == entry.skill.name).count() == 1;
    catalog.skills.iter().filter(move |entry| alone(entry)).filter_map(|entry| Published::new(catalog, entry))
}

fn find<'c>(catalog: &'c Catalog, name: &str) -> Result<Published<'c>, Failure> {
    let named: Vec<&Entry> = catalog.skills.iter().filter(|entry| *entry.skill.name == *name).collect();
    match named.as_slice() {
        [entry] => Published::new(catalog, entry).ok_or_else(missing),
        _ => Err(missing()),
    }
}

fn missing() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, "not-published", "nothing is published at this address")
}

impl Asking {
    /// Answers from what is published.
    async fn published(
        self,
        make: impl FnOnce(&Runtime, &Asking, &State) -> Result<Ready, Failure> + Send + 'static,
    ) -> Result<Response, Failure> {
        if !self.http.served().well_known {
            return Err(missing().help("publishing is switched off on this server"));
        }
        let state = self.state(&At::default()).await?;
        let runtime = runtime(&state)?;
        let http = self.http.clone();
        let (ready, headers) = http
            .engine()
            .work()
            .run(move || {
                let ready = make(&runtime, &self, &state)?;
                Ok::<_, Failure>((ready, self.headers))
            })
            .await??;
        Ok(ready.send(&headers))
    }
}

pub(crate) async fn index(asking: Asking, _: Query<Nothing>) -> Result<Response, Failure> {
    asking
        .published(|runtime, asking, _| {
            let entries = published(runtime.catalog()).filter_map(|skill| {
                let name = skill.entry.skill.name.to_string();
                let (kind, url, digest) = if let [only] = skill.snapshot.files.as_slice() {
                    ("skill-md", format!("{name}/SKILL.md"), format!("sha256:{}", hex(&only.sha256)))
                } else {
                    let digest = asking.http.packed().digest(&skill.dir, &skill.snapshot)?;
                    ("archive", format!("{name}.tar.gz"), digest)
                };
                let url = format!("/.well-known/agent-skills/{url}");
                Some(IndexEntry { name, kind: kind.to_owned(), description: skill.description(), url, digest })
            });
            let index = Index { schema: SCHEMA.to_owned(), skills: entries.collect() };
            Ready::json(&index, asking.peer, None)
        })
        .await
}

pub(crate) async fn old_index(asking: Asking, _: Query<Nothing>) -> Result<Response, Failure> {
    asking
        .published(|runtime, asking, _| {
            let entries = published(runtime.catalog()).map(|skill| OldEntry {
                name: skill.entry.skill.name.to_string(),
                description: skill.description(),
                files: skill.files(),
            });
            Ready::json(&OldIndex { skills: entries.collect() }, asking.peer, None)
        })
        .await
}

pub(crate) async fn archive(
    asking: Asking,
    Segments(file): Segments<String>,
    _: Query<Nothing>,
) -> Result<Response, Failure> {
    asking
        .published(move |runtime, _, _| {
            let skill = find(runtime.catalog(), file.strip_suffix(".tar.gz").ok_or_else(missing)?)?;
            let bytes = pack(&skill.dir, &skill.snapshot).ok().flatten().ok_or_else(missing)?;
            Ok(Ready::new(bytes, HeaderValue::from_static("application/gzip")))
        })
        .await
}

pub(crate) async fn file(
    asking: Asking,
    Segments((name, path)): Segments<(String, String)>,
    _: Query<Nothing>,
) -> Result<Response, Failure> {
    asking
        .published(move |runtime, _, _| {
            let skill = find(runtime.catalog(), &name)?;
            let file = skill.file(&path).ok_or_else(missing)?;
            let bytes = bytes_of(&skill.dir, file).ok_or_else(missing)?;
            let kind = if Path::new(&path).extension().is_some_and(|end| end == "md") {
                "text/markdown; charset=utf-8"
            } else {
                "application/octet-stream"
            };
            Ok(Ready::new(bytes, HeaderValue::from_static(kind)))
        })
        .await
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
}
