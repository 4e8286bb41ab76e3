//! Names and finds skills: by what a person types, by a stable id, or by the name alone.
//!
//! A name that only one active skill has, and that needs no escaping in an address, is its id. Every skill also has an id of
//! `~` and digits made from its path. It stays the same while the file is where it is, and reveals nothing of that place.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use openoxide_config::{MyAgentsOrigin, SkillSelector, Workspace};
use openoxide_live::Snapshot;
use openoxide_runtime::RemoteName;
use openoxide_skills::catalog::{Catalog, Depth, Entry, View, load};
use openoxide_skills::{host::Caller, text::near};
use sha2::{Digest as _, Sha256};

use crate::{error::Error, paths};

/// A skill as a caller refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillRef {
    /// What a person types: a name, or a path seen from the folder they act in.
    Typed(String),
    /// An id. A path is no id, so that a caller elsewhere cannot learn which paths there are.
    Id(String),
    /// A name as the model knows it.
    Name(String),
}

impl SkillRef {
    /// Returns what the caller wrote.
    pub fn as_str(&self) -> &str {
        match self {
            SkillRef::Typed(text) | SkillRef::Id(text) | SkillRef::Name(text) => text,
        }
    }

    /// Returns what the runtime finds the skill by, to read or run something of it. Whether the caller may have it is the
    /// runtime's decision; to the model, an unknown skill and one that it may not call are the same.
    pub fn resolve(&self, snapshot: &Snapshot, caller: Caller) -> Result<String, Error> {
        let catalog = snapshot.runtime()?.catalog();
        match self {
            SkillRef::Typed(typed) => Ok(snapshot.workspace.resolve_skill_reference(catalog, typed)),
            SkillRef::Name(name) => Ok(name.clone()),
            SkillRef::Id(id) if RemoteName::parse(id).is_some() => Ok(id.clone()),
            SkillRef::Id(id) => match find_by_id(catalog, id) {
                Ok(entry) => Ok(catalog.call_of(entry)),
                Err(error) if caller == Caller::User => Err(error),
                Err(_) => Ok(id.clone()),
            },
        }
    }

    /// Returns what the runtime finds the skill by, to activate it: a name stays a name, so that the runtime says in its
    /// own words why it cannot be called.
    pub fn resolve_call(&self, snapshot: &Snapshot) -> Result<String, Error> {
        let catalog = snapshot.runtime()?.catalog();
        match self {
            SkillRef::Id(id) if id.starts_with('~') => Ok(match find_by_id(catalog, id) {
                Ok(entry) => catalog.call_of(entry),
                Err(_) => id.clone(),
            }),
            SkillRef::Id(id) if id.starts_with('/') => Err(unknown_id(catalog, id)),
            SkillRef::Id(name) => Ok(name.clone()),
            _ => self.resolve(snapshot, Caller::User),
        }
    }
}

/// How many bytes of the digest are kept.
const KEPT: usize = 16;

/// Knows the id of every entry of a catalog.
pub struct SkillIds<'c> {
    /// How many active skills have a name.
    names: HashMap<&'c str, usize>,
}

impl<'c> SkillIds<'c> {
    /// Counts the names of the active skills.
    pub fn new(catalog: &'c Catalog) -> SkillIds<'c> {
        let mut names: HashMap<&str, usize> = HashMap::new();
        for entry in &catalog.skills {
            *names.entry(&entry.skill.name).or_default() += 1;
        }
        SkillIds { names }
    }

    /// Returns the id of an entry.
    pub fn of(&self, entry: &Entry) -> String {
        let name = &*entry.skill.name;
        called(name, &entry.skill.path, entry.is_active() && self.names.get(name) == Some(&1))
    }
}

/// Returns the id of a skill, if it is known whether other active skills have its name.
pub fn called(name: &str, path: &Path, is_alone: bool) -> String {
    if is_alone && is_plain(name) { name.to_owned() } else { digits(path) }
}

/// Tells whether the standard allows a name.
pub(crate) fn is_standard_name(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.len() <= 64 && name.split('-').all(is_part)
}

/// Tells whether the standard allows a description; it counts characters, not bytes.
pub(crate) fn is_standard_description(description: &str) -> bool {
    const CHARACTERS_MAX: usize = 1024;
    !description.trim().is_empty() && description.chars().count() <= CHARACTERS_MAX
}

/// Tells whether a name can stand in an address as it is.
fn is_plain(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._:-".contains(letter);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

fn digits(path: &Path) -> String {
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    format!("~{}", URL_SAFE_NO_PAD.encode(&digest[..KEPT]))
}

/// Finds the entry that an id means.
pub(crate) fn find_by_id<'c>(catalog: &'c Catalog, id: &str) -> Result<&'c Entry, Error> {
    if id.starts_with('~') {
        return catalog.entries().find(|entry| digits(&entry.skill.path) == id).ok_or_else(|| unknown_id(catalog, id));
    }
    let found = if id.starts_with('/') { Vec::new() } else { catalog.called(id) };
    let active: Vec<&Entry> = found.iter().copied().filter(|entry| entry.is_active()).collect();
    match (active.as_slice(), found.first()) {
        ([only], _) => Ok(only),
        ([], Some(first)) => Ok(first),
        ([], None) => Err(unknown_id(catalog, id)),
        (several, _) => {
            let ids = several.iter().map(|entry| digits(&entry.skill.path)).collect();
            Err(Error::AmbiguousSkill { wanted: id.to_owned(), ids })
        }
    }
}

fn unknown_id(catalog: &Catalog, id: &str) -> Error {
    unknown(catalog, id, catalog.skills.iter())
}

/// Returns the entries that a name or path means, active ones first.
pub fn find<'c>(workspace: &Workspace, catalog: &'c Catalog, wanted: &str) -> Result<Vec<&'c Entry>, Error> {
    let found = catalog.find(&workspace.resolve_skill_reference(catalog, wanted));
    if found.is_empty() { Err(unknown(catalog, wanted, catalog.entries())) } else { Ok(found) }
}

/// Returns the first of the user's agents that finds a skill, whatever host the request names: its title, and the name of its
/// host.
pub fn agent_that_finds(workspace: &Workspace, wanted: &str) -> Option<(String, String)> {
    let agents = workspace.usual_agents().ok().filter(|agents| agents.origin != MyAgentsOrigin::NoneFound)?;
    let views: Vec<View> = agents.hosts.into_iter().map(|host| host.view).collect();
    let found = load(&views, Depth::Quick).iter().position(|catalog| find(workspace, catalog, wanted).is_ok())?;
    Some((views[found].host.title.clone(), views[found].spec.id()))
}

/// Returns the error for a name that no skill of a catalog has; one of `entries` may be meant.
fn unknown<'c>(catalog: &Catalog, wanted: &str, entries: impl Iterator<Item = &'c Entry>) -> Error {
    let near = near(wanted, entries.map(|entry| &*entry.skill.name)).first().map(|&near| near.to_owned());
    Error::UnknownSkill { wanted: wanted.to_owned(), near, none_active: catalog.skills.is_empty() }
}

/// What means a skill to a person: its name, or its folder where the name means another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillReference {
    /// The name; absent where it means another skill, or looks like a path.
    pub name: Option<String>,
    /// The folder.
    pub folder: PathBuf,
}

impl SkillReference {
    /// Returns what means an entry of a catalog.
    pub fn of(catalog: &Catalog, entry: &Entry) -> SkillReference {
        let name = &entry.skill.name;
        let is_path = name.contains('/') || name.starts_with(['.', '~']);
        let first = catalog.find(name).first().map(|found| found.canonical());
        let means_it = !entry.is_active() || first == Some(entry.canonical());
        let name = (!is_path && means_it).then(|| name.to_string());
        SkillReference { name, folder: entry.dir().to_owned() }
    }

    /// Returns whether the name or the folder can be printed as it is, so that a person can type it.
    pub fn is_printable(&self) -> bool {
        self.selector().is_some()
    }

    /// Returns what a person types for the skill, as a switch finds it: the name, or the folder where the name cannot be
    /// printed; nothing if neither can.
    pub(crate) fn selector(&self) -> Option<SkillSelector> {
        let name = self.name.clone().filter(|name| paths::is_printable_text(name)).map(SkillSelector::Typed);
        name.or_else(|| paths::is_printable(&self.folder).then(|| SkillSelector::Path(self.folder.clone())))
    }
}
