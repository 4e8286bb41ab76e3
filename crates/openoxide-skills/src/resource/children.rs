//! Lists one folder of a skill as it is served.

use std::{ffi::OsStr, os::fd::AsFd as _, path::Path};

use rustix::fs::FileType;

use super::beneath::{self, FOLDER};
use super::dir::{Extent, SkillDir};
use super::path::{ResourcePath, is_left_out, is_left_out_path, shown_name};
use super::read::{ItemKind, LISTED_MAX, ResourceFolder, ResourceItem};
use crate::{discover::Listing, host::ReadProblem};

impl SkillDir {
    /// Lists a folder of the skill, or the skill's folder itself, by name as bytes: folders, and the files that its
    /// manifest has. No link on the path to the folder is followed.
    pub fn children(&self, path: Option<&ResourcePath>) -> Result<ResourceFolder, ReadProblem> {
        if self.extent == Extent::File {
            return if path.is_some() { Err(ReadProblem::NotFound) } else { self.list_top() };
        }
        let (prefix, listing) = match path {
            None => (Path::new(""), self.listing(LISTED_MAX)),
            Some(path) => {
                let path = path.as_path();
                if is_left_out_path(path) || self.hides(path) {
                    return Err(ReadProblem::NotFound);
                }
                let folder = beneath::open_plain(self.fd(), path, FOLDER).map_err(|_| ReadProblem::NotFound)?;
                (path, Listing::read(folder.as_fd(), LISTED_MAX))
            }
        };
        let (listing, cut) = listing.map_err(|_| ReadProblem::Unreadable)?;
        let is_shown = |(name, kind): &(&OsStr, FileType)| !is_left_out(name) && !self.hides_item(prefix, name, *kind);
        let names = listing.iter().filter(is_shown);
        let items = names.filter_map(|(name, kind)| self.child(prefix, name, kind)).collect();
        Ok(ResourceFolder { path: shown_name(prefix), items, cut })
    }

    fn child(&self, prefix: &Path, name: &OsStr, kind: FileType) -> Option<ResourceItem> {
        let kind = match kind {
            FileType::Directory => ItemKind::Folder,
            FileType::RegularFile => ItemKind::File,
            FileType::Symlink | FileType::Unknown => {
                let opened = self.open_file_at(&prefix.join(name));
                let stat = rustix::fs::fstat(opened.ok()?).ok()?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => ItemKind::File,
                    FileType::Directory if kind == FileType::Unknown => ItemKind::Folder,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(ResourceItem { name: shown_name(Path::new(name)), kind })
    }
}
