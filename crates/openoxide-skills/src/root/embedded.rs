//! Skills that come inside the program, and are found in their folder before they are written to it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::ownership::{ForeignWriter, check_folders, is_ours, others_write};

/// Skills that come inside the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedSkills {
    /// The folder that they are written to when something needs their files.
    pub folder: PathBuf,
    /// Their files, each with its path in the folder.
    pub files: Vec<(PathBuf, &'static [u8])>,
}

impl EmbeddedSkills {
    /// Returns the files of this name that lie directly in a folder of the set, each with the folder's name.
    pub(crate) fn named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = (&'e OsStr, &'static [u8])> + 'e {
        self.files.iter().filter_map(move |(path, bytes)| {
            let folder = path.parent().filter(|folder| folder.components().count() == 1)?;
            (path.file_name() == Some(OsStr::new(name))).then_some((folder.as_os_str(), *bytes))
        })
    }

    /// Returns a file of the set.
    pub(crate) fn file(&self, path: &Path) -> Option<&'static [u8]> {
        self.files.iter().find(|(known, _)| known == path).map(|(_, bytes)| *bytes)
    }

    /// Tells whether the folder holds exactly this set, and no other user can change or exchange anything of it. Elsewhere the
    /// skills come from the program: what lies in the folder is not known to be the program's.
    pub fn is_written(&self) -> bool {
        self.check_place().is_ok() && self.holds(Path::new(""))
    }

    /// Checks that no other user can put something else in the place of the folder.
    pub fn check_place(&self) -> Result<(), ForeignWriter> {
        let home = self.folder.parent().and_then(Path::parent);
        check_folders(&self.folder, home)?;
        match self.folder.parent().map(std::fs::canonicalize) {
            // A link on the way leads elsewhere: what it leads to is in a folder of its own.
            Some(Ok(real)) => check_folders(&real, home),
            _ => Ok(()),
        }
    }

    /// Tells whether a file of the set is as it is in the program, or a folder has what the set has there and nothing else,
    /// and no other user can write to any of it.
    fn holds(&self, below: &Path) -> bool {
        let path: PathBuf = self.folder.components().chain(below.components()).collect();
        let Ok(stat) = path.symlink_metadata() else { return false };
        if !is_ours(&stat) || others_write(&path, &stat) {
            return false;
        }
        if let Some(bytes) = self.file(below) {
            return stat.is_file() && is_same(&path, bytes);
        }
        let names = self.names(below);
        stat.is_dir() && has_only(&path, &names) && names.iter().all(|name| self.holds(&below.join(name)))
    }

    /// Returns the names that the set has in a folder.
    fn names(&self, below: &Path) -> BTreeSet<OsString> {
        let inside = self.files.iter().filter_map(|(path, _)| path.strip_prefix(below).ok()?.components().next());
        inside.map(|name| name.as_os_str().to_owned()).collect()
    }

    /// Tells whether the set is written to this folder.
    pub(crate) fn belong_to(&self, folder: &Path) -> bool {
        self.folder == folder
    }
}

/// Tells whether a file has exactly these bytes.
fn is_same(file: &Path, bytes: &[u8]) -> bool {
    let mut found = Vec::new();
    let read = File::open(file).and_then(|file| file.take(bytes.len() as u64 + 1).read_to_end(&mut found));
    read.is_ok() && found == bytes
}

/// Tells whether a folder has exactly these names.
fn has_only(folder: &Path, names: &BTreeSet<OsString>) -> bool {
    let Ok(found) = std::fs::read_dir(folder) else { return false };
    let found: Result<BTreeSet<OsString>, _> =
        found.take(names.len() + 1).map(|entry| entry.map(|entry| entry.file_name())).collect();
    found.is_ok_and(|found| found == *names)
}
