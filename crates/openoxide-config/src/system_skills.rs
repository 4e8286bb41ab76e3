//! OpenOxide's own skills: embedded in the binary, listed from there, and unpacked when something needs their files.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use openoxide_skills::ownership::{is_ours, others_write};
use openoxide_skills::resource::Hex;
use openoxide_skills::root::EmbeddedSkills;
use sha2::{Digest as _, Sha256};

use crate::{Environment, files};

static SKILLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/skills");

/// The file with the fingerprint of the set that was unpacked.
const MARKER: &str = ".openoxide-system-skills";

fn embedded_skills() -> Vec<(PathBuf, &'static [u8])> {
    let mut files = Vec::new();
    collect(&SKILLS, &mut files);
    files.sort();
    files
}

fn collect(dir: &'static Dir<'static>, files: &mut Vec<(PathBuf, &'static [u8])>) {
    files.extend(dir.files().map(|file| (file.path().to_owned(), file.contents())));
    dir.dirs().for_each(|inner| collect(inner, files));
}

/// Returns OpenOxide's own skills, and the folder that they belong to.
pub(crate) fn system_skills(environment: &Environment) -> Option<EmbeddedSkills> {
    let home = environment.openoxide_home().filter(|_| environment.own_skills)?;
    Some(EmbeddedSkills { folder: home.join("skills").join(".system"), files: embedded_skills() })
}

/// Unpacks OpenOxide's own skills into the user's folder, unless the same set is there already. Returns their folder if
/// something was written.
pub fn unpack_system_skills(environment: &Environment) -> io::Result<Option<PathBuf>> {
    let Some(EmbeddedSkills { folder, files }) = system_skills(environment) else { return Ok(None) };
    Ok(unpack(&folder, &files)?.then_some(folder))
}

fn unpack(target: &Path, files: &[(PathBuf, &[u8])]) -> io::Result<bool> {
    let fingerprint = fingerprint(files);
    if is_written(target, files) {
        return Ok(false);
    }
    let parent = target.parent().unwrap_or(Path::new("/"));
    files::make_own_folders(parent)?;
    // Written beside the old set and swapped as a whole, so that a reader never sees a part of it.
    let fresh = tempfile::Builder::new().prefix(".system-new-").tempdir_in(parent)?;
    for (path, bytes) in files {
        let file = fresh.path().join(path);
        fs_err::create_dir_all(file.parent().unwrap_or(fresh.path()))?;
        fs_err::write(file, bytes)?;
    }
    fs_err::write(fresh.path().join(MARKER), format!("{fingerprint}\n"))?;
    // A temporary folder is private, but every reader of the home may use the set.
    fs_err::set_permissions(fresh.path(), Permissions::from_mode(0o755))?;
    if target.symlink_metadata().is_ok() {
        let old = tempfile::Builder::new().prefix(".system-old-").tempdir_in(parent)?;
        fs_err::rename(target, old.path().join("set"))?;
    }
    fs_err::rename(fresh.keep(), target)?;
    Ok(true)
}

/// Tells whether the set is there, as it is in the program, and no other user could have written it.
fn is_written(target: &Path, files: &[(PathBuf, &[u8])]) -> bool {
    let is_ours = |path: &Path| path.symlink_metadata().is_ok_and(|stat| is_ours(&stat) && !others_write(&stat));
    let is_same = |(path, bytes): &(PathBuf, &[u8])| {
        let file = target.join(path);
        is_ours(&file) && fs_err::read(file).is_ok_and(|found| found == *bytes)
    };
    let marker = fs_err::read_to_string(target.join(MARKER));
    is_ours(target) && marker.is_ok_and(|marker| marker.trim() == fingerprint(files)) && files.iter().all(is_same)
}

fn fingerprint(files: &[(PathBuf, &[u8])]) -> String {
    let mut hasher = Sha256::new();
    for (path, bytes) in files {
        hasher.update(path.to_string_lossy().as_bytes());
        hasher.update([0]);
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    format!("sha256:{}", Hex(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_is_not_written_and_changed_is_rewritten() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("skills/.system");
        let old: &[(PathBuf, &[u8])] = &[(PathBuf::from("a/SKILL.md"), b"one"), (PathBuf::from("gone/SKILL.md"), b"x")];
        assert!(unpack(&target, old).unwrap());
        let modified = |path: &str| fs_err::metadata(target.join(path)).unwrap().modified().unwrap();
        let before = modified("a/SKILL.md");
        assert!(!unpack(&target, old).unwrap());
        assert_eq!(modified("a/SKILL.md"), before);
        let new: &[(PathBuf, &[u8])] = &[(PathBuf::from("a/SKILL.md"), b"two")];
        assert!(unpack(&target, new).unwrap());
        assert_eq!(fs_err::read(target.join("a/SKILL.md")).unwrap(), b"two");
        assert!(!target.join("gone").exists());
        assert_eq!(fs_err::read_dir(dir.path().join("skills")).unwrap().count(), 1);
    }

    /// The marker is no secret. Only the program's own bytes, which nobody else could write, are taken for them.
    #[test]
    fn what_only_looks_like_the_set_is_rewritten() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("skills/.system");
        let set: &[(PathBuf, &[u8])] = &[(PathBuf::from("a/SKILL.md"), b"one")];
        assert!(unpack(&target, set).unwrap());
        fs_err::write(target.join("a/SKILL.md"), "planted").unwrap();
        assert!(unpack(&target, set).unwrap() && !unpack(&target, set).unwrap());
        assert_eq!(fs_err::read(target.join("a/SKILL.md")).unwrap(), b"one");
        fs_err::set_permissions(&target, Permissions::from_mode(0o777)).unwrap();
        assert!(unpack(&target, set).unwrap() && !unpack(&target, set).unwrap());
    }

    #[test]
    fn the_embedded_set_is_there() {
        let names: Vec<_> = embedded_skills()
            .into_iter()
            .filter(|(path, _)| path.ends_with("SKILL.md"))
            .map(|(path, _)| path)
            .collect();
        assert_eq!(names.len(), 3, "{names:?}");
    }
}
