//! OpenOxide's own skills: embedded in the binary, listed from there, and unpacked when something needs their files.

use std::fs::{File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use openoxide_skills::ownership::ForeignWriter;
use openoxide_skills::root::EmbeddedSkills;

use crate::files::{self, LockError, parent_of};
use crate::{Environment, WriteDir};

static SKILLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/skills");

/// Why OpenOxide's own skills are not written.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// Other users could exchange what is written.
    #[error("OpenOxide's own skills cannot be written: {0}")]
    Foreign(ForeignWriter),
    /// Another process has been writing them for too long.
    #[error("OpenOxide's own skills cannot be written: another process holds the lock")]
    Busy,
    /// Writing failed.
    #[error("OpenOxide's own skills cannot be written: {0}")]
    Io(#[from] io::Error),
}

impl UnpackError {
    /// Returns the next step.
    pub fn help(&self) -> String {
        match self {
            UnpackError::Foreign(why) => why.help.clone(),
            UnpackError::Busy => "end the other process, or try again".to_owned(),
            UnpackError::Io(_) => {
                "set OPENOXIDE_HOME to a folder of your own, or OPENOXIDE_SYSTEM_SKILLS=off to leave them out"
                    .to_owned()
            }
        }
    }
}

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
pub fn unpack_system_skills(environment: &Environment) -> Result<Option<PathBuf>, UnpackError> {
    let Some(skills) = system_skills(environment) else { return Ok(None) };
    Ok(unpack(&skills)?.then_some(skills.folder))
}

fn unpack(skills: &EmbeddedSkills) -> Result<bool, UnpackError> {
    if skills.is_written() {
        return Ok(false);
    }
    let parent = parent_of(&skills.folder);
    files::make_own_folders(parent)?;
    skills.check_place().map_err(UnpackError::Foreign)?;
    let _lock = lock(parent)?;
    // Another process may have written them meanwhile.
    if skills.is_written() {
        return Ok(false);
    }
    // Nobody else enters this folder. It is removed with what is left in it, whatever happens.
    let work = tempfile::Builder::new().prefix(".system-new-").tempdir_in(parent)?;
    let fresh = work.path().join("new");
    write(&fresh, &skills.files)?;
    exchange(skills, &fresh, &work.path().join("old"))
}

/// Locks the folder around the set; nothing where the file system has no locks.
fn lock(parent: &Path) -> Result<Option<File>, UnpackError> {
    let folder = WriteDir::follow(parent)?.as_file()?;
    match files::lock(&folder) {
        Ok(()) => Ok(Some(folder)),
        Err(LockError::Busy) => Err(UnpackError::Busy),
        Err(_) => Ok(None),
    }
}

/// Writes the files. Every user may read them and no other user may write to them, whatever the umask is.
fn write(fresh: &Path, files: &[(PathBuf, &[u8])]) -> io::Result<()> {
    let mut folders = vec![fresh.to_owned()];
    for (path, bytes) in files {
        let file = fresh.join(path);
        fs_err::create_dir_all(parent_of(&file))?;
        fs_err::write(&file, bytes)?;
        fs_err::set_permissions(&file, Permissions::from_mode(0o644))?;
        folders.extend(parent_of(path).ancestors().map(|below| fresh.join(below)));
    }
    folders.iter().try_for_each(|folder| fs_err::set_permissions(folder, Permissions::from_mode(0o755)))
}

/// Exchanges the old set for the new one as a whole, so that a reader never sees a part of it.
fn exchange(skills: &EmbeddedSkills, fresh: &Path, old: &Path) -> Result<bool, UnpackError> {
    let absent = |error: &io::Error| error.kind() == ErrorKind::NotFound;
    fs_err::rename(&skills.folder, old).or_else(|error| if absent(&error) { Ok(()) } else { Err(error) })?;
    match fs_err::rename(fresh, &skills.folder) {
        Ok(()) => Ok(true),
        // A process that takes no lock was faster.
        Err(_) if skills.is_written() => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};

    use super::*;

    fn set(home: &Path, files: &[(&str, &'static [u8])]) -> EmbeddedSkills {
        let files = files.iter().map(|(path, bytes)| (PathBuf::from(path), *bytes)).collect();
        EmbeddedSkills { folder: home.join("skills/.system"), files }
    }

    fn mode(path: &Path, mode: u32) {
        fs_err::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn unchanged_is_not_written_and_changed_is_rewritten() {
        let dir = tempfile::tempdir().unwrap();
        let old = set(dir.path(), &[("a/SKILL.md", b"one"), ("gone/SKILL.md", b"x")]);
        let target = &old.folder;
        assert!(unpack(&old).unwrap());
        let modified = |path: &str| fs_err::metadata(target.join(path)).unwrap().modified().unwrap();
        let before = modified("a/SKILL.md");
        assert!(!unpack(&old).unwrap());
        assert_eq!(modified("a/SKILL.md"), before);
        let new = set(dir.path(), &[("a/SKILL.md", b"two")]);
        assert!(!new.is_written() && unpack(&new).unwrap() && new.is_written());
        assert_eq!(fs_err::read(target.join("a/SKILL.md")).unwrap(), b"two");
        assert!(!target.join("gone").exists());
        assert_eq!(fs_err::read_dir(dir.path().join("skills")).unwrap().count(), 1);
    }

    /// A path in the set, and what is done to it.
    type Change<'c> = (&'c str, &'c dyn Fn(&Path));

    /// Only the program's own bytes, which nobody else could write, are taken for them.
    #[test]
    fn what_only_looks_like_the_set_is_rewritten() {
        let dir = tempfile::tempdir().unwrap();
        let skills = set(dir.path(), &[("a/SKILL.md", b"one"), ("a/more/notes.md", b"two")]);
        let target = skills.folder.clone();
        assert!(unpack(&skills).unwrap() && skills.is_written());
        let changes: [Change<'_>; 7] = [
            ("a/SKILL.md", &|file| fs_err::write(file, "owt").unwrap()),
            ("a/SKILL.md", &|file| mode(file, 0o666)),
            ("a/more", &|folder| mode(folder, 0o777)),
            ("", &|folder| mode(folder, 0o777)),
            ("a/extra.md", &|file| fs_err::write(file, "more").unwrap()),
            ("a/empty", &|folder| fs_err::create_dir(folder).unwrap()),
            ("a/more/notes.md", &|file| {
                fs_err::rename(file, dir.path().join("notes")).unwrap();
                symlink(dir.path().join("notes"), file).unwrap();
            }),
        ];
        for (path, change) in changes {
            change(&target.join(path));
            assert!(!skills.is_written(), "{path}");
            assert!(unpack(&skills).unwrap() && !unpack(&skills).unwrap(), "{path}");
            assert_eq!(fs_err::read(target.join("a/SKILL.md")).unwrap(), b"one", "{path}");
        }
        for path in ["", "a", "a/more", "a/SKILL.md"] {
            if chown(target.join(path), Some(65533), None).is_ok() {
                assert!(!skills.is_written() && unpack(&skills).unwrap() && skills.is_written(), "{path}");
            }
        }
    }

    /// A set that another user can exchange is not written, and not taken for the program's.
    #[test]
    fn where_others_can_exchange_the_set_it_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let skills = set(dir.path(), &[("a/SKILL.md", b"one")]);
        assert!(unpack(&skills).unwrap());
        let parent = dir.path().join("skills");
        mode(&parent, 0o777);
        assert!(!skills.is_written());
        let error = unpack(&skills).unwrap_err();
        assert!(error.help().contains("chmod go-w"), "{error}");
        mode(&parent, 0o755);
        assert!(skills.is_written());
        let shared = dir.path().join("shared");
        fs_err::create_dir(&shared).unwrap();
        fs_err::rename(&parent, shared.join("skills")).unwrap();
        symlink(shared.join("skills"), &parent).unwrap();
        assert!(skills.is_written());
        mode(&shared, 0o777);
        assert!(!skills.is_written(), "the folder that a link leads to can be exchanged");
    }

    #[test]
    fn of_many_first_writers_one_writes_and_none_fails() {
        let dir = tempfile::tempdir().unwrap();
        let skills = set(dir.path(), &[("a/SKILL.md", b"one"), ("b/SKILL.md", b"two")]);
        let written: Vec<bool> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..8).map(|_| scope.spawn(|| unpack(&skills).unwrap())).collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        assert_eq!(written.iter().filter(|is_writer| **is_writer).count(), 1);
        assert_eq!(fs_err::read_dir(dir.path().join("skills")).unwrap().count(), 1);
    }

    /// A process that takes no lock puts the same set there, or something else.
    #[test]
    fn a_place_that_is_taken_meanwhile_is_looked_at_again() {
        let dir = tempfile::tempdir().unwrap();
        let skills = set(dir.path(), &[("a/SKILL.md", b"one")]);
        let fresh = |name: &str| {
            let fresh = dir.path().join(name);
            write(&fresh, &skills.files).unwrap();
            fresh
        };
        assert!(unpack(&skills).unwrap());
        let absent = dir.path().join("absent/old");
        assert!(!exchange(&skills, &fresh("one"), &absent).unwrap(), "the same set is there");
        fs_err::write(skills.folder.join("a/SKILL.md"), "other").unwrap();
        assert!(exchange(&skills, &fresh("two"), &absent).is_err());
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
