//! Use case: serves skills to MCP clients: addresses, entries with digests, folders, files and prompts.

mod address;
mod served;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openoxide_live::Snapshot;
use openoxide_runtime::{
    Audience, Call, CallArguments, FoundKind, Question, ReadForm, ReadRequest, ReadTarget, Reading, Session, names_for,
};
use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::host::Caller;
use openoxide_skills::resource::{ItemKind, ManifestFile, ResourceFolder, media_type_of};

pub use self::address::{AddressTarget, Addresses, OWN_FILE, address};
pub use self::served::{ServedCache, ServedSkill};
use crate::{error::Error, read::questions_before};

/// The skills of a snapshot, as they are served. Every method that reads files takes the cache, which outlives a snapshot.
pub struct ServedSkills {
    snapshot: Arc<Snapshot>,
    /// The addresses of the skills.
    pub addresses: Addresses,
}

/// What is in a folder of a skill, as it is served.
pub struct ServedChild {
    /// Its path in the skill's folder.
    pub path: PathBuf,
    /// Whether it is a folder.
    pub is_folder: bool,
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

    /// Returns a skill by its place in the catalog, as it is on disk now, with the files that a model may read at all.
    /// A skill whose own file it may not read is not served.
    pub fn skill(&self, cache: &ServedCache, at: usize) -> Option<Arc<ServedSkill>> {
        let entry = self.entry(at).filter(|entry| self.may_read(entry, OWN_FILE.as_ref()))?;
        Some(cache.get(self.catalog(), entry)?.only(|path| path == Path::new(OWN_FILE) || self.may_list(entry, path)))
    }

    /// Tells whether a file is listed with its digest: a digest says what is in a file, so nobody gets that of a file whose
    /// reading must be approved first.
    fn may_list(&self, entry: &Entry, path: &Path) -> bool {
        let Ok(runtime) = self.snapshot.runtime() else { return false };
        let questions = questions_before(runtime, &Session::default(), entry, path);
        questions.is_some_and(|questions| !questions.iter().any(Question::is_about_a_file))
    }

    /// Tells whether a model may read a file of a skill, be it after a question.
    fn may_read(&self, entry: &Entry, path: &Path) -> bool {
        let runtime = self.snapshot.runtime();
        runtime.is_ok_and(|runtime| questions_before(runtime, &Session::default(), entry, path).is_some())
    }

    /// Returns the skill whose own file has an address, and the address of its folder.
    pub fn skill_at(&self, cache: &ServedCache, uri: &str) -> Option<(&str, Arc<ServedSkill>)> {
        let target = self.addresses.find(uri).filter(|target| *uri == address(target.root, OWN_FILE.as_ref()))?;
        Some((target.root, self.skill(cache, target.at)?))
    }

    /// Begins to list the folder that an address means, for the model.
    pub fn read_folder(&self, _: &ServedCache, uri: &str) -> Option<Reading> {
        self.reading(self.addresses.find(uri)?, FoundKind::Folder)
    }

    /// Returns what a model may read of a folder that was listed.
    pub fn children(
        &self,
        cache: &ServedCache,
        target: &AddressTarget<'_>,
        folder: &ResourceFolder,
    ) -> Option<(Arc<ServedSkill>, Vec<ServedChild>)> {
        let entry = self.entry(target.at)?;
        let above = target.path.as_ref().map_or(Path::new(""), |path| path.as_path());
        let children = folder
            .items
            .iter()
            .map(|item| ServedChild { path: above.join(item.on_disk()), is_folder: item.kind == ItemKind::Folder });
        let children = children.filter(|child| self.may_read(entry, &child.path)).collect();
        Some((cache.get(self.catalog(), entry)?, children))
    }

    /// Returns the media type of a file.
    pub fn media_type(&self, file: &ManifestFile) -> &str {
        media_type_of(&self.snapshot.view.host.resource, &file.path, file.content)
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
        let target = self.addresses.find(uri)?;
        let (entry, path) = (self.entry(target.at)?, target.path.as_ref()?.as_path());
        // Only what is listed is read, where everything is listed. There links are listed too; elsewhere they cannot be told
        // apart.
        let (is_there, kind) = match &cache.get(self.catalog(), entry)?.files {
            Some(files) => (files.file(path).is_some(), FoundKind::File),
            None => (!path.iter().any(|name| name == ".git"), FoundKind::PlainFile),
        };
        // What may not be read is refused, so that nobody learns whether it is there.
        (is_there || !self.may_read(entry, path)).then(|| self.reading(target, kind)).flatten()
    }

    fn reading(&self, target: AddressTarget<'_>, kind: FoundKind) -> Option<Reading> {
        let entry = Box::new(self.entry(target.at)?.clone());
        let target = ReadTarget::Found { entry, path: target.path, kind };
        let (caller, form, audience) = (Caller::Model, ReadForm::Bytes, Audience::Program);
        let runtime = self.snapshot.runtime().ok()?;
        Some(Reading::new(Arc::clone(runtime), ReadRequest { target, caller, form, audience }))
    }

    /// Returns the names of the skills that a user may call.
    pub fn prompt_names(&self) -> Vec<&str> {
        names_for(self.catalog(), Caller::User)
    }

    /// Finds a skill that a user may call by its name.
    pub fn prompt(&self, name: &str) -> Option<&Entry> {
        self.catalog().skills.iter().find(|entry| entry.user && entry.is_active() && *entry.skill.name == *name)
    }

    /// Says why a user cannot call a skill by a name that no prompt has.
    pub fn no_prompt(&self, name: &str) -> Error {
        let call = Call { skill: name.to_owned(), caller: Caller::User, arguments: CallArguments::Nothing };
        match self.snapshot.runtime() {
            Ok(runtime) => match runtime.admit(&call) {
                Err(refusal) => refusal.into(),
                Ok(_) => Error::UnknownSkill { wanted: call.skill, near: None, none_active: false },
            },
            Err(error) => error.into(),
        }
    }
}
