//! What an answer depends on beside its snapshot: the files of the skill, and what the user trusts.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use openoxide_live::Snapshot;
use openoxide_runtime::{ActivatedSkill, ActivationOutcome, ReadPart};
use openoxide_skills::host::Caller;
use openoxide_skills::judge::is_skill_folder;
use openoxide_skills::resource::{FolderStamps, ResourceRequest};

use crate::skill_id::find_by_id;

/// The stamps of everything that the activation of one skill reads, taken before it begins.
pub struct ActivationStamps {
    folder: PathBuf,
    stamps: FolderStamps,
}

/// The stamps of one file of a skill, taken before it is read.
pub struct FileStamps {
    /// The file.
    pub file: PathBuf,
    /// Its stamps, and those of what it is reached through.
    pub stamps: FolderStamps,
}

impl ActivationStamps {
    /// Takes the stamps of the skill that an id means.
    pub fn take(snapshot: &Snapshot, id: &str) -> Option<ActivationStamps> {
        let folder = find_by_id(snapshot.runtime().ok()?.catalog(), id).ok()?.dir().to_owned();
        let stamps = FolderStamps::of(&folder, trust_file(snapshot), SystemTime::now())?;
        Some(ActivationStamps { folder, stamps })
    }

    /// Returns the one skill that was activated, with the stamps, if the same call has the same outcome while they hold.
    pub fn cover(self, done: &ActivationOutcome) -> Option<(&ActivatedSkill, FolderStamps)> {
        let [activated] = done.activated.as_slice() else { return None };
        let is_repeatable = activated.repeatable && done.refused.is_empty() && done.notices.is_empty();
        (is_repeatable && activated.path.starts_with(&self.folder)).then_some((activated, self.stamps))
    }
}

impl FileStamps {
    /// Takes the stamps of the file that a caller asks for, if it can only be one.
    pub fn take(snapshot: &Snapshot, id: &str, part: &ReadPart, caller: Caller) -> Option<FileStamps> {
        let ReadPart::Path(path) = part else { return None };
        let runtime = snapshot.runtime().ok()?;
        let entry = find_by_id(runtime.catalog(), id).ok()?;
        let request = ResourceRequest::by_path(&entry.skill.name, path, caller, &runtime.view().host.resource);
        let paths = request.paths().ok()?;
        let [below] = paths.as_slice() else { return None };
        let below = Path::new(below);
        // What lies in a skill inside this one also depends on that one's files.
        let mut folders = below.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        if folders.any(|folder| is_skill_folder(&entry.dir().join(folder))) {
            return None;
        }
        let stamps = FolderStamps::of_file(entry.dir(), below, trust_file(snapshot), SystemTime::now())?;
        Some(FileStamps { file: entry.dir().join(below), stamps })
    }

    /// Returns about how many bytes the file has; only reading it tells for certain.
    pub fn size(&self) -> u64 {
        fs_err::symlink_metadata(&self.file).map_or(0, |metadata| metadata.len())
    }
}

/// Returns the file with what the user trusts, which every answer depends on.
fn trust_file(snapshot: &Snapshot) -> Option<PathBuf> {
    snapshot.workspace.environment.openoxide_home().map(|home| home.join("state").join("trust.toml"))
}
