//! Copies, compares and removes a folder with all that is in it, below descriptors and through no link.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use openoxide_config::WriteDir;
use rustix::fs::{FileType, OFlags};

/// Most files and folders of a skill that is copied or compared.
const ENTRIES_MAX: usize = 10_000;
/// Most bytes of a skill that is copied or compared.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Most folders inside each other; each is held open.
const DEPTH_MAX: usize = 64;

/// Something in a folder, opened.
enum Item {
    Folder(WriteDir),
    File(File),
}

/// Why a folder cannot be copied.
pub(super) struct Obstacle {
    /// Where, from the folder.
    pub(super) path: PathBuf,
    pub(super) why: String,
}

/// What may still be copied or compared.
struct Budget {
    entries: usize,
    bytes: u64,
}

impl Budget {
    fn whole() -> Budget {
        Budget { entries: ENTRIES_MAX, bytes: BYTES_MAX }
    }

    fn take(&mut self, bytes: u64) -> bool {
        let left = (self.entries.checked_sub(1), self.bytes.checked_sub(bytes));
        let (Some(entries), Some(bytes)) = left else { return false };
        *self = Budget { entries, bytes };
        true
    }
}

/// Tells whether a folder can be copied: it holds regular files and folders only, and not too much.
pub(super) fn check(folder: &WriteDir) -> Result<(), Obstacle> {
    walk(folder, Path::new(""), &mut Budget::whole(), &mut |_, _| Ok(()))
}

/// Copies everything in a folder to an empty one, and has it on the disk.
pub(super) fn copy(from: &WriteDir, to: &WriteDir) -> Result<(), Obstacle> {
    let mut put = |at: &Path, item: &Item| {
        let (parent, name) = (at.parent().unwrap_or(Path::new("")), at.file_name().unwrap_or_default());
        let parent = to.below(parent)?;
        match item {
            Item::Folder(_) => parent.make_one(name).map(|_| ()),
            Item::File(file) => copy_file(file, &parent, name),
        }
    };
    walk(from, Path::new(""), &mut Budget::whole(), &mut put)
}

fn copy_file(from: &File, folder: &WriteDir, name: &OsStr) -> io::Result<()> {
    let mut to = folder.open_file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
    io::copy(&mut io::Read::take(from, BYTES_MAX), &mut to)?;
    to.set_permissions(Permissions::from_mode(from.metadata()?.mode() & 0o777))?;
    to.sync_all()
}

/// Calls `visit` for everything below a folder, each folder before what is in it.
fn walk(
    folder: &WriteDir,
    at: &Path,
    budget: &mut Budget,
    visit: &mut dyn FnMut(&Path, &Item) -> io::Result<()>,
) -> Result<(), Obstacle> {
    let obstacle = |path: &Path, why: &dyn std::fmt::Display| Obstacle { path: path.to_owned(), why: why.to_string() };
    if at.components().count() > DEPTH_MAX {
        return Err(obstacle(at, &format!("a copy holds at most {DEPTH_MAX} folders inside each other")));
    }
    for name in names(folder).map_err(|error| obstacle(at, &error))? {
        let path = at.join(&name);
        let Some(item) = open(folder, &name).map_err(|error| obstacle(&path, &error))? else {
            return Err(obstacle(&path, &"a copy holds regular files only: no links, no pipes"));
        };
        let bytes = match &item {
            Item::File(file) => file.metadata().map_err(|error| obstacle(&path, &error))?.len(),
            Item::Folder(_) => 0,
        };
        if !budget.take(bytes) {
            let limit = format!("a copy holds at most {ENTRIES_MAX} files and {} MiB", BYTES_MAX >> 20);
            return Err(obstacle(Path::new(""), &limit));
        }
        visit(&path, &item).map_err(|error| obstacle(&path, &error))?;
        if let Item::Folder(inner) = item {
            walk(&inner, &path, budget, visit)?;
        }
    }
    Ok(())
}

fn names(folder: &WriteDir) -> io::Result<Vec<OsString>> {
    let mut names = folder.names()?;
    names.retain(|name| name != "." && name != "..");
    Ok(names)
}

/// Opens something in a folder; nothing if it is neither a folder nor a regular file.
fn open(folder: &WriteDir, name: &OsStr) -> io::Result<Option<Item>> {
    match folder.kind(name) {
        Some(FileType::Directory) => Ok(Some(Item::Folder(folder.below(Path::new(name))?))),
        Some(FileType::RegularFile) => {
            let file = folder.open_file(name, OFlags::RDONLY)?;
            Ok(file.metadata()?.is_file().then_some(Item::File(file)))
        }
        _ => Ok(None),
    }
}

/// Tells whether two folders hold the same regular files and folders, and nothing else.
pub(super) fn is_same(left: &WriteDir, right: &WriteDir) -> bool {
    is_same_below(left, right, 0, &mut Budget::whole()).unwrap_or(false)
}

fn is_same_below(left: &WriteDir, right: &WriteDir, depth: usize, budget: &mut Budget) -> io::Result<bool> {
    let names = names(left)?;
    if depth > DEPTH_MAX || names != self::names(right)? {
        return Ok(false);
    }
    for name in names {
        let same = match (open(left, &name)?, open(right, &name)?) {
            (Some(Item::Folder(left)), Some(Item::Folder(right))) => {
                budget.take(0) && is_same_below(&left, &right, depth + 1, budget)?
            }
            (Some(Item::File(left)), Some(Item::File(right))) => {
                let length = left.metadata()?.len();
                budget.take(length) && right.metadata()?.len() == length && has_same_bytes(&left, &right)?
            }
            _ => false,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compares two files piece by piece, however long they are.
fn has_same_bytes(left: &File, right: &File) -> io::Result<bool> {
    let (mut left, mut right) = (BufReader::new(left), BufReader::new(right));
    loop {
        let (ours, theirs) = (left.fill_buf()?, right.fill_buf()?);
        let length = ours.len().min(theirs.len());
        if length == 0 {
            return Ok(ours.is_empty() && theirs.is_empty());
        }
        if ours[..length] != theirs[..length] {
            return Ok(false);
        }
        left.consume(length);
        right.consume(length);
    }
}

/// Removes everything in a folder. A link is removed and not followed.
pub(super) fn clear(folder: &WriteDir) -> io::Result<()> {
    for name in names(folder)? {
        if folder.kind(&name) == Some(FileType::Directory) {
            clear(&folder.below(Path::new(&name))?)?;
            folder.remove_empty(&name)?;
        } else {
            folder.remove(&name)?;
        }
    }
    Ok(())
}
