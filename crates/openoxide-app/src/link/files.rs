//! Makes, compares and removes links and copies of a skill's folder. Nothing that is there is ever replaced.
//!
//! Paths come without links in them, because `place` resolves them: what is written cannot end up elsewhere.

use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

use crate::paths::{relative, shown};
use crate::{Error, error::ErrorKind as Kind};

/// Most files and folders of a skill that is copied or compared.
const ENTRIES_MAX: usize = 10_000;
/// Most bytes of a skill that is copied or compared.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

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
    if stat.is_dir() && is_other() && same_tree(place, source) { Existing::Copy } else { Existing::Foreign }
}

/// Makes the folder `parent`, and in it a relative link to the skill's folder; `false` if the disk has no links.
pub(super) fn link(parent: &Path, place: &Path, source: &Path) -> Result<bool, Error> {
    make_parent(parent)?;
    match symlink(relative(parent, source), place) {
        Ok(()) => Ok(true),
        // Another process made the same link in the meantime.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && existing(place, source).is_ours() => Ok(true),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(false),
        // A disk without links says that it is not permitted; a folder that may not be written says so for a copy too.
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::PERM.raw_os_error()) => Ok(false),
        Err(error) => Err(not_made(place, error)),
    }
}

/// Makes the folder `parent`, and in it a copy of the skill's folder.
///
/// The copy is made beside its place first, so that half of a skill is never seen, and is on disk before it is.
pub(super) fn copy(parent: &Path, place: &Path, source: &Path) -> Result<(), Error> {
    let tree = tree(source)?;
    make_parent(parent)?;
    let staged = staging(parent)?;
    let inner = staged.path().join("skill");
    fs_err::create_dir(&inner)?;
    for folder in &tree.folders {
        fs_err::create_dir(inner.join(folder))?;
    }
    for file in &tree.files {
        let target = inner.join(file);
        fs_err::copy(source.join(file), &target)?;
        fs_err::File::open(&target)?.sync_all()?;
    }
    match move_to(&inner, place) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && existing(place, source).is_ours() => {}
        outcome => outcome.map_err(|error| not_made(place, error))?,
    }
    Ok(fs_err::File::open(parent)?.sync_all()?)
}

/// Removes a copy of the skill.
///
/// It is moved aside, compared there, and only then removed: what changed in the meantime is put back.
pub(super) fn remove_copy(place: &Path, source: &Path) -> Result<(), Error> {
    let staged = staging(place.parent().unwrap_or(Path::new("/")))?;
    let inner = staged.path().join("skill");
    move_to(place, &inner).map_err(|error| failed(format!("`{}` cannot be removed", shown(place)), error))?;
    if same_tree(&inner, source) {
        return Ok(staged.close()?);
    }
    if let Err(error) = move_to(&inner, place) {
        let kept = staged.keep().join("skill");
        let message = format!("`{}` was changed just now, and is kept at `{}`", shown(place), shown(&kept));
        return Err(failed(message, error));
    }
    Err(not_linked(format!("`{}` was changed just now, and stays", shown(place))))
}

fn make_parent(parent: &Path) -> Result<(), Error> {
    fs_err::create_dir_all(parent)?;
    if fs_err::canonicalize(parent)? == parent {
        return Ok(());
    }
    Err(not_linked(format!("`{}` was exchanged for a link just now", shown(parent))))
}

/// Makes a hidden folder of ours on the same disk: beside the folder of skills, where no agent looks, if that can be.
fn staging(parent: &Path) -> Result<TempDir, Error> {
    let disk = |path: &Path| path.symlink_metadata().ok().map(|stat| stat.dev());
    let beside = parent.parent().filter(|beside| disk(beside) == disk(parent));
    let make = |folder: &Path| tempfile::Builder::new().prefix(".openoxide-").tempdir_in(folder);
    let made = beside.and_then(|beside| make(beside).ok()).map_or_else(|| make(parent), Ok);
    made.map_err(|error| failed(format!("`{}` cannot be changed", shown(parent)), error))
}

/// Renames without replacing anything, not even an empty folder.
fn move_to(from: &Path, to: &Path) -> std::io::Result<()> {
    use rustix::io::Errno;
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some disks do not know how not to replace; then a look must do.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if to.symlink_metadata().is_err() => std::fs::rename(from, to),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(ErrorKind::AlreadyExists.into()),
        outcome => Ok(outcome?),
    }
}

/// The folders and regular files of a folder, relative to it; each folder stands before what is in it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tree {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

/// Lists a folder; what is neither a regular file nor a folder is an error.
fn tree(folder: &Path) -> Result<Tree, Error> {
    let mut tree = Tree::default();
    let mut bytes = 0;
    let mut open = vec![PathBuf::new()];
    while let Some(dir) = open.pop() {
        for entry in fs_err::read_dir(folder.join(&dir))? {
            let entry = entry?;
            let path = dir.join(entry.file_name());
            let stat = entry.metadata()?;
            if stat.is_dir() {
                open.push(path.clone());
                tree.folders.push(path);
            } else if stat.is_file() {
                bytes += stat.len();
                tree.files.push(path);
            } else {
                return Err(not_copied(folder, &path, "a copy holds regular files only: no links, no pipes"));
            }
            if tree.folders.len() + tree.files.len() > ENTRIES_MAX || bytes > BYTES_MAX {
                let limit = format!("a copy holds at most {ENTRIES_MAX} files and {} MiB", BYTES_MAX >> 20);
                return Err(not_copied(folder, Path::new(""), &limit));
            }
        }
    }
    tree.folders.sort();
    tree.files.sort();
    Ok(tree)
}

fn not_copied(folder: &Path, path: &Path, why: &str) -> Error {
    let whole: PathBuf = folder.join(path).components().collect();
    not_linked(format!("`{}` cannot be copied", shown(&whole))).with_help(why)
}

fn same_tree(left: &Path, right: &Path) -> bool {
    let (Ok(ours), Ok(theirs)) = (tree(left), tree(right)) else { return false };
    let length = |path: &Path| path.symlink_metadata().ok().map(|stat| stat.len());
    let same = |file: &PathBuf| {
        let (left, right) = (left.join(file), right.join(file));
        length(&left) == length(&right)
            && fs_err::read(left).is_ok_and(|bytes| fs_err::read(right).is_ok_and(|other| bytes == other))
    };
    ours == theirs && ours.files.iter().all(same)
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

    #[test]
    fn nothing_is_replaced_by_a_move() {
        let context = TestContext::new();
        context.tree("//- a/SKILL.md\n//- empty/\n//- nowhere -> none\n");
        let at = |name: &str| context.root().join(name);
        for taken in ["empty", "nowhere"] {
            assert_eq!(move_to(&at("a"), &at(taken)).unwrap_err().kind(), ErrorKind::AlreadyExists, "{taken}");
        }
        move_to(&at("a"), &at("b")).unwrap();
        assert!(at("b/SKILL.md").exists() && !at("a").exists());
    }
}
