//! Identifies a skill in an address: by its name, or by digits that stand for its file.
//!
//! A name that only one skill has, and that needs no escaping, is the id. Every skill also has an id of `~` and digits
//! made from its path; they stay the same for as long as the file is where it is, and tell nobody where that is.

use std::collections::HashMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::text::near;
use sha2::{Digest as _, Sha256};

use crate::answer::Failure;

/// How many bytes of the digest are kept.
const KEPT: usize = 16;

/// Knows the id of every entry of a catalog.
pub(crate) struct Ids<'c> {
    /// How many that count have a name.
    names: HashMap<&'c str, usize>,
}

impl<'c> Ids<'c> {
    pub(crate) fn new(catalog: &'c Catalog) -> Ids<'c> {
        let mut names: HashMap<&str, usize> = HashMap::new();
        for entry in &catalog.skills {
            *names.entry(&entry.skill.name).or_default() += 1;
        }
        Ids { names }
    }

    /// Returns the id of an entry.
    pub(crate) fn of(&self, entry: &Entry) -> String {
        let name = &*entry.skill.name;
        called(name, &entry.skill.path, entry.is_active() && self.names.get(name) == Some(&1))
    }
}

/// Returns the id of a skill, if it is known whether others that count have its name.
pub(crate) fn called(name: &str, path: &Path, is_alone: bool) -> String {
    if is_alone && is_plain(name) { name.to_owned() } else { digits_of(path) }
}

/// Tells whether a name can stand in an address as it is.
fn is_plain(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._:-".contains(letter);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

fn digits(entry: &Entry) -> String {
    digits_of(&entry.skill.path)
}

/// Returns the digits that stand for a skill's file.
fn digits_of(path: &Path) -> String {
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    format!("~{}", URL_SAFE_NO_PAD.encode(&digest[..KEPT]))
}

/// Finds the entry that an id means.
pub(crate) fn find<'c>(catalog: &'c Catalog, id: &str) -> Result<&'c Entry, Failure> {
    if id.starts_with('~') {
        return catalog.entries().find(|entry| digits(entry) == id).ok_or_else(|| unknown(catalog, id));
    }
    // A path is no id: who asks from elsewhere must not learn which there are.
    let found = if id.starts_with('/') { Vec::new() } else { catalog.called(id) };
    let active: Vec<&Entry> = found.iter().copied().filter(|entry| entry.is_active()).collect();
    match (active.as_slice(), found.first()) {
        ([only], _) => Ok(only),
        ([], Some(first)) => Ok(first),
        ([], None) => Err(unknown(catalog, id)),
        (several, _) => {
            let ids: Vec<String> = several.iter().map(|entry| digits(entry)).collect();
            let text = format!("{} skills are called `{id}`", several.len());
            Err(Failure::new(StatusCode::CONFLICT, "ambiguous", text).help(format!("their ids: {}", ids.join(", "))))
        }
    }
}

/// Says that no skill is meant.
pub(crate) fn unknown(catalog: &Catalog, id: &str) -> Failure {
    let failure = Failure::new(StatusCode::NOT_FOUND, "unknown", format!("no skill is called `{id}`"));
    let names = catalog.skills.iter().map(|entry| entry.skill.name.as_ref());
    match near(id, names).first() {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help("`GET /v1/skills` lists those that count"),
    }
}
