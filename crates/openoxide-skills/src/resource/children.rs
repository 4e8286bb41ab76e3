//! Lists one folder of a skill as it is served.

use std::ffi::{OsStr, OsString};
use std::{os::fd::AsFd as _, path::Path};

use rustix::fs::FileType;

use super::beneath::{self, FOLDER};
use super::dir::{Extent, SkillDir};
use super::{path::ResourcePath, walk::LEFT_OUT};
use crate::{discover::Listing, host::ReadProblem};

/// What is in a folder of a skill, as it is served: a name as it stands on disk, and whether it is a folder's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillDirEntry {
    /// The name.
    pub name: OsString,
    /// Whether it is the name of a folder.
    pub is_folder: bool,
}

impl SkillDir {
    /// Lists a folder of the skill, or the skill's folder itself, by name as bytes: folders, and the files that its
    /// manifest has. No link on the path to the folder is followed.
    pub fn children(&self, path: Option<&ResourcePath>, most: usize) -> Result<Vec<SkillDirEntry>, ReadProblem> {
        if self.extent == Extent::File {
            let own = SkillDirEntry { name: self.manifest.clone(), is_folder: false };
            return if path.is_some() { Err(ReadProblem::NotFound) } else { Ok(vec![own]) };
        }
        let (prefix, listing) = match path {
            None => (Path::new(""), self.listing(most)),
            Some(path) => {
                let path = path.as_path();
                if path.iter().any(|name| name == LEFT_OUT) {
                    return Err(ReadProblem::NotFound);
                }
                let folder = beneath::open_plain(self.fd(), path, FOLDER).map_err(|_| ReadProblem::NotFound)?;
                (path, Listing::read(folder.as_fd(), most))
            }
        };
        let (listing, _) = listing.map_err(|_| ReadProblem::Unreadable)?;
        let names = listing.iter().filter(|(name, _)| *name != LEFT_OUT);
        Ok(names.filter_map(|(name, kind)| self.child(prefix, name, kind)).collect())
    }

    fn child(&self, prefix: &Path, name: &OsStr, kind: FileType) -> Option<SkillDirEntry> {
        let is_folder = match kind {
            FileType::Directory => true,
            FileType::RegularFile => false,
            FileType::Symlink | FileType::Unknown => {
                let opened = self.open_file_at(&prefix.join(name));
                let stat = rustix::fs::fstat(opened.ok()?).ok()?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => false,
                    FileType::Directory if kind == FileType::Unknown => true,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(SkillDirEntry { name: name.to_owned(), is_folder })
    }
}
