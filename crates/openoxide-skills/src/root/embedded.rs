//! Skills that come inside the program, and are found in their folder before they are written to it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::ownership::{ForeignWriter, check_folders};

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

    /// Checks that no other user could have written the folder, or put it there: its skills are believed to be the program's.
    pub(crate) fn check_writers(&self) -> Result<(), ForeignWriter> {
        let home = self.folder.parent().and_then(Path::parent);
        check_folders(&self.folder.join("SKILL.md"), home)
    }

    /// Tells whether the set is written to this folder.
    pub(crate) fn belong_to(&self, folder: &Path) -> bool {
        self.folder == folder
    }
}
