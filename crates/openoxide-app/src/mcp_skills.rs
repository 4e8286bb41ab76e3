//! Use case: serves skills to MCP clients: addresses, entries with digests, folders, files and prompts.

mod address;
mod served;

use std::sync::Arc;

use openoxide_live::Snapshot;
use openoxide_runtime::{Audience, LinkRule, ReadForm, ReadRequest, ReadTarget, Reading, names_for};
use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::host::Caller;
use openoxide_skills::resource::{ResourcePath, SkillDir, SkillDirEntry};

pub use self::address::{AddressTarget, Addresses, OWN_FILE, address};
pub use self::served::{ServedCache, ServedSkill};
use crate::error::Error;

/// Most names that are read of one folder.
const NAMES_MAX: usize = 10_000;

/// The skills of a snapshot, as they are served. Every method that reads files takes the cache, which outlives a snapshot.
pub struct ServedSkills {
    snapshot: Arc<Snapshot>,
    /// The addresses of the skills.
    pub addresses: Addresses,
}

/// Gives addresses to the skills of a snapshot, and drops from the cache what is no longer there.
pub fn served(snapshot: &Arc<Snapshot>, cache: &ServedCache) -> Result<ServedSkills, Error> {
    // Nothing is decided by guessing what a broken rule was meant to say.
    let catalog = snapshot.runtime()?.catalog();
    cache.retain(catalog);
    Ok(ServedSkills { addresses: Addresses::new(catalog), snapshot: Arc::clone(snapshot) })
}

impl ServedSkills {
    fn catalog(&self) -> &Catalog {
        match self.snapshot.runtime() {
            Ok(runtime) => runtime.catalog(),
            Err(_) => &self.snapshot.catalog,
        }
    }

    fn entry(&self, at: usize) -> Option<&Entry> {
        self.catalog().skills.get(at)
    }

    /// Returns a skill by its place in the catalog, as it is on disk now.
    pub fn skill(&self, cache: &ServedCache, at: usize) -> Option<Arc<ServedSkill>> {
        cache.get(self.catalog(), self.entry(at)?)
    }

    /// Returns the skill whose own file has an address, and the address of its folder.
    pub fn skill_at(&self, cache: &ServedCache, uri: &str) -> Option<(&str, Arc<ServedSkill>)> {
        let target = self.addresses.find(uri).filter(|target| *uri == address(target.root, OWN_FILE.as_ref()))?;
        Some((target.root, self.skill(cache, target.at)?))
    }

    /// Lists a folder of a skill.
    pub fn children(
        &self,
        cache: &ServedCache,
        target: &AddressTarget<'_>,
    ) -> Option<(Arc<ServedSkill>, Vec<SkillDirEntry>)> {
        let entry = self.entry(target.at)?;
        let served = cache.get(self.catalog(), entry)?;
        let dir = SkillDir::of(self.catalog(), entry).ok()?;
        Some((served, dir.children(target.path.as_ref(), NAMES_MAX).ok()?))
    }

    /// Returns the paths of the files of a skill, as addresses have them; `name` is its address without the scheme.
    pub fn paths(&self, cache: &ServedCache, name: &str) -> Option<Vec<String>> {
        let (_, at) = self.addresses.roots().find(|(root, _)| root.strip_prefix("skill://") == Some(name))?;
        let served = self.skill(cache, at)?;
        let files = served.files.as_ref()?.files.iter();
        Some(files.map(|file| address("", &file.path).trim_start_matches('/').to_owned()).collect())
    }

    /// Begins to read the file that an address means, for the model.
    pub fn read(&self, cache: &ServedCache, uri: &str) -> Option<Reading> {
        let (served, at, path) = self.file_at(cache, uri)?;
        // Where the entry lists every file, links are listed too; elsewhere they cannot be told apart.
        let links = if served.files.is_some() { LinkRule::Follow } else { LinkRule::Refuse };
        let target = ReadTarget::Found { entry: Box::new(self.entry(at)?.clone()), path, links };
        let (caller, form, audience) = (Caller::Model, ReadForm::Bytes, Audience::Program);
        let runtime = self.snapshot.runtime().ok()?;
        Some(Reading::new(Arc::clone(runtime), ReadRequest { target, caller, form, audience }))
    }

    fn file_at(&self, cache: &ServedCache, uri: &str) -> Option<(Arc<ServedSkill>, usize, ResourcePath)> {
        let target = self.addresses.find(uri)?;
        let path = target.path?;
        let served = self.skill(cache, target.at)?;
        // Only what is listed is read, where everything is listed.
        let is_there = match &served.files {
            Some(files) => files.file(path.as_path()).is_some(),
            None => !path.as_path().iter().any(|name| name == ".git"),
        };
        is_there.then_some((served, target.at, path))
    }

    /// Returns the names of the skills that a user may call.
    pub fn prompt_names(&self) -> Vec<&str> {
        names_for(self.catalog(), Caller::User)
    }

    /// Finds a skill that a user may call by its name.
    pub fn prompt(&self, name: &str) -> Option<&Entry> {
        self.catalog().skills.iter().find(|entry| entry.user && entry.is_active() && *entry.skill.name == *name)
    }
}
