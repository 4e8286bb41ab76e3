//! Makes and removes links and copies of a skill's folder. Nothing that is there is ever replaced.
//!
//! Paths come without links in them, because `place` resolves them. Folders are opened by them once and held, so that what
//! is written, moved or removed is never elsewhere, even if another process exchanges a folder on the way.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use openoxide_config::WriteDir;
use rustix::fs::FileType;

use super::tree::{self, Obstacle, is_same};
use crate::paths::{relative, shown};
use crate::{Error, error::ErrorKind as Kind};

/// What a copy is called in a private folder, until it gets its name.
const STAGED: &str = "skill";

/// What stands at the path of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// Nothing.
    Absent,
    /// A link to the skill.
    Link,
    /// A copy of the skill that is still the same.
    Copy,
    /// A link that leads nowhere.
    Dangling,
    /// Something else.
    Foreign,
}

impl Existing {
    /// Returns whether it is what `link` makes.
    pub(super) fn is_ours(self) -> bool {
        matches!(self, Existing::Link | Existing::Copy)
    }
}

/// Returns what stands at `place`, compared with the skill's folder.
pub(super) fn existing(place: &Path, source: &Path) -> Existing {
    let stat = match place.symlink_metadata() {
        Ok(stat) => stat,
        Err(error) if error.kind() == ErrorKind::NotFound => return Existing::Absent,
        // What cannot be looked at is not ours to touch.
        Err(_) => return Existing::Foreign,
    };
    if stat.is_symlink() {
        return match std::fs::canonicalize(place) {
            Ok(target) if target == source => Existing::Link,
            Err(error) if error.kind() == ErrorKind::NotFound => Existing::Dangling,
            _ => Existing::Foreign,
        };
    }
    // The skill itself, found by another path, is no copy of itself.
    let is_other = || std::fs::canonicalize(place).is_ok_and(|real| real != source);
    if stat.is_dir() && is_other() && is_copy(place, source) { Existing::Copy } else { Existing::Foreign }
}

fn is_copy(place: &Path, source: &Path) -> bool {
    match (WriteDir::open(place), WriteDir::open(source)) {
        (Ok(place), Ok(source)) => is_same(&place, &source),
        _ => false,
    }
}

/// Makes the folder of `place`, and in it a relative link to the skill's folder; `false` if the disk has no links.
pub(super) fn link(place: &Path, source: &Path) -> Result<bool, Error> {
    let (parent, name) = split(place);
    match make_folder(parent)?.link(name, &relative(parent, source)) {
        Ok(()) => Ok(true),
        // Another process made the same link in the meantime.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && existing(place, source).is_ours() => Ok(true),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(false),
        // A disk without links says that it is not permitted; a folder that may not be written says so for a copy too.
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::PERM.raw_os_error()) => Ok(false),
        Err(error) => Err(not_made(place, error)),
    }
}

/// Makes the folder of `place`, and in it a copy of the skill's folder.
///
/// The copy is made beside its place first, so that half of a skill is never seen, and is on disk before it is.
pub(super) fn copy(place: &Path, source: &Path) -> Result<(), Error> {
    let (parent, name) = split(place);
    let from = WriteDir::open(source)?;
    tree::check(&from).map_err(|obstacle| not_copied(source, obstacle))?;
    let folder = make_folder(parent)?;
    let staging = Staging::beside(&folder, parent)?;
    let made = staging.private.make(Path::new(STAGED))?;
    tree::copy(&from, &made).map_err(|obstacle| not_copied(source, obstacle))?;
    match staging.private.move_to(OsStr::new(STAGED), &folder, name) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && existing(place, source).is_ours() => {}
        outcome => outcome.map_err(|error| not_made(place, error))?,
    }
    Ok(folder.as_file()?.sync_all()?)
}

/// Removes a link to the skill.
pub(super) fn remove_link(place: &Path) -> Result<(), Error> {
    let (parent, name) = split(place);
    let folder = open_folder(parent)?;
    match folder.kind(name) {
        Some(FileType::Symlink) => Ok(folder.remove(name)?),
        _ => Err(not_linked(format!("`{}` was changed just now, and stays", shown(place)))),
    }
}

/// Removes a copy of the skill.
///
/// It is moved aside, compared there, and only then removed: what changed in the meantime is put back.
pub(super) fn remove_copy(place: &Path, source: &Path) -> Result<(), Error> {
    let (parent, name) = split(place);
    let folder = open_folder(parent)?;
    let mut staging = Staging::beside(&folder, parent)?;
    let moved = folder.move_to(name, &staging.private, OsStr::new(STAGED));
    moved.map_err(|error| failed(format!("`{}` cannot be removed", shown(place)), error))?;
    let (aside, original) = (staging.private.below(Path::new(STAGED)), WriteDir::open(source));
    if matches!((&aside, &original), (Ok(aside), Ok(original)) if is_same(aside, original)) {
        return staging.remove();
    }
    if let Err(error) = staging.private.move_to(OsStr::new(STAGED), &folder, name) {
        staging.is_kept = true;
        let message = format!("`{}` was changed just now, and is kept in `{}`", shown(place), shown(&staging.path()));
        return Err(failed(message, error));
    }
    Err(not_linked(format!("`{}` was changed just now, and stays", shown(place))))
}

fn split(place: &Path) -> (&Path, &OsStr) {
    (place.parent().unwrap_or(Path::new("/")), place.file_name().unwrap_or_default())
}

/// Opens a folder, and makes those on the way that are missing.
fn make_folder(path: &Path) -> Result<WriteDir, Error> {
    let there = path.ancestors().find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(Path::new("/"));
    let below = path.strip_prefix(there).unwrap_or(Path::new(""));
    open_folder(there)?.make(below).map_err(|error| exchanged(path, error))
}

fn open_folder(path: &Path) -> Result<WriteDir, Error> {
    WriteDir::open(path).map_err(|error| exchanged(path, error))
}

fn exchanged(path: &Path, error: std::io::Error) -> Error {
    use rustix::io::Errno;
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP | Errno::NOTDIR) => {
            not_linked(format!("`{}` was exchanged for a link or a file just now", shown(path)))
        }
        _ => failed(format!("`{}` cannot be changed", shown(path)), error),
    }
}

/// A hidden folder of ours on the same disk as a folder of skills, where no agent looks if that can be.
struct Staging {
    /// The folder that it is in.
    holder: WriteDir,
    holder_path: PathBuf,
    name: OsString,
    private: WriteDir,
    /// Whether it stays, with what is in it.
    is_kept: bool,
}

impl Staging {
    /// Makes one beside a folder, or else in it.
    fn beside(folder: &WriteDir, path: &Path) -> Result<Staging, Error> {
        let disk =
            |folder: &WriteDir| folder.as_file().and_then(|folder| folder.metadata()).ok().map(|stat| stat.dev());
        let outer = path.parent().and_then(|outer| Some((WriteDir::open(outer).ok()?, outer)));
        let outer = outer.filter(|(outer, _)| disk(outer) == disk(folder));
        if let Some(made) = outer.and_then(|(outer, path)| Staging::make(outer, path).ok()) {
            return Ok(made);
        }
        let made = folder.below(Path::new("")).and_then(|folder| Staging::make(folder, path));
        made.map_err(|error| failed(format!("`{}` cannot be changed", shown(path)), error))
    }

    fn make(holder: WriteDir, path: &Path) -> std::io::Result<Staging> {
        let (name, private) = holder.make_private()?;
        Ok(Staging { holder, holder_path: path.to_owned(), name, private, is_kept: false })
    }

    fn path(&self) -> PathBuf {
        self.holder_path.join(&self.name)
    }

    fn remove(mut self) -> Result<(), Error> {
        self.is_kept = true;
        tree::clear(&self.private)?;
        Ok(self.holder.remove_empty(&self.name)?)
    }
}

/// What is removed is what is held, and then a folder of that name only if it is empty: another user may have exchanged it.
impl Drop for Staging {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = tree::clear(&self.private).and_then(|()| self.holder.remove_empty(&self.name));
        }
    }
}

fn not_copied(folder: &Path, obstacle: Obstacle) -> Error {
    let whole: PathBuf = folder.join(obstacle.path).components().collect();
    not_linked(format!("`{}` cannot be copied", shown(&whole))).with_help(obstacle.why)
}

pub(super) fn not_linked(message: impl Into<String>) -> Error {
    Error::other(Kind::Conflict, "not-linked", message)
}

fn not_made(place: &Path, source: std::io::Error) -> Error {
    failed(format!("`{}` cannot be made", shown(place)), source)
}

fn failed(message: String, source: std::io::Error) -> Error {
    Error::File { message, source }
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::testing::race;

    #[test]
    fn what_stands_at_a_place_is_told_apart() {
        let context = TestContext::new();
        context.tree(
            "
//- a/SKILL.md
text
//- a/empty/
//- same/SKILL.md
text
//- same/empty/
//- more/SKILL.md
text
//- more/empty/
//- more/note
//- other/SKILL.md
texT
//- other/empty/
//- bare/SKILL.md
text
//- file
//- link -> a
//- far -> link
//- wrong -> same
//- nowhere -> none
//- loop -> loop
",
        );
        let check = |place: &str, expected: Existing| {
            assert_eq!(existing(&context.root().join(place), &context.root().join("a")), expected, "{place}");
        };
        check("none", Existing::Absent);
        check("file/none", Existing::Foreign);
        check("link", Existing::Link);
        check("far", Existing::Link);
        check("same", Existing::Copy);
        check("nowhere", Existing::Dangling);
        for foreign in ["a", "link/../a", "more", "other", "bare", "file", "wrong", "loop"] {
            check(foreign, Existing::Foreign);
        }
    }

    fn names(folder: &Path) -> Vec<OsString> {
        fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn whoever_exchanges_a_folder_gets_nothing_made_elsewhere() {
        let context = TestContext::new();
        context.tree("//- source/SKILL.md\ntext\n//- agent/skills/\n//- outside/skills/\n//- link -> outside\n");
        let (source, place) = (context.root().join("source"), context.root().join("agent/skills/has"));
        let outside = context.root().join("outside");
        race(&context, "agent", "link", || {
            let _ = link(&place, &source);
            let _ = remove_link(&place);
            let _ = copy(&place, &source);
            let _ = remove_copy(&place, &source);
            assert_eq!((names(&outside), names(&outside.join("skills"))), (vec!["skills".into()], vec![]));
        });
    }

    #[test]
    fn whoever_exchanges_a_folder_gets_nothing_removed_elsewhere() {
        let context = TestContext::new();
        context.tree(
            "//- source/SKILL.md\ntext\n//- agent/skills/\n//- link -> outside\n//- outside/skills/has -> ../../source\n\
             //- outside/skills/same/SKILL.md\ntext\n",
        );
        let (source, skills) = (context.root().join("source"), context.root().join("agent/skills"));
        let outside = context.root().join("outside/skills");
        race(&context, "agent", "link", || {
            let _ = remove_link(&skills.join("has"));
            let _ = remove_copy(&skills.join("same"), &source);
            assert_eq!(names(&outside).len(), 2);
        });
        assert!(outside.join("same/SKILL.md").exists());
    }

    #[test]
    fn a_copy_holds_nothing_from_elsewhere() {
        let context = TestContext::new();
        context.tree("//- source/note\nplain\n//- agent/skills/\n//- secret\nother\n//- link -> ../secret\n");
        let (source, place) = (context.root().join("source"), context.root().join("agent/skills/has"));
        race(&context, "source/note", "link", || {
            let _ = copy(&place, &source);
            assert!(
                fs_err::read_to_string(place.join("note")).is_ok_and(|note| note.trim() == "plain") || !place.exists()
            );
            let _ = std::fs::remove_dir_all(&place);
        });
    }
}
