//! Adds to a survey what is not on the disk yet, as if it were.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::{FOLDER, Surveyor};
use crate::boundary::{LinkRole, Target};
use crate::discover::folder::Folder;
use crate::discover::planned_link::PlannedLink;

impl Surveyor<'_> {
    /// Adds the planned folders whose place was found. What lies inside them is not searched.
    pub(super) fn add_planned(&mut self) {
        for link in &self.plan.planned {
            let outer = self.survey.folders.iter().position(|folder| link.is_in(folder.canonical()));
            let Some(mut folder) = outer.and_then(|outer| self.planned(outer, link)) else { continue };
            folder.repeats = self.repeats(&folder);
            self.survey.folders.push(folder);
        }
    }

    fn planned(&self, parent: usize, link: &PlannedLink) -> Option<Folder> {
        let outer = &self.survey.folders[parent];
        let target = Target::open_folder(&link.source, FOLDER).ok()?;
        let (name, linked) = (link.name.as_os_str(), !link.copy);
        let (path, hidden) = (outer.path.join(name), name.as_bytes().starts_with(b"."));
        let mut folder = Folder { path, parent, depth: outer.depth + 1, hidden, linked, ..Folder::default() };
        if linked && !self.plan.boundary.may_lead(&target, LinkRole::Folder { name, flat: self.plan.flat }) {
            return self.barred(folder).ok();
        }
        folder.canonical = match linked {
            true => Some(target.path().to_owned()),
            false => outer.canonical.as_ref().map(|outer| outer.join(name)),
        };
        folder.files = self.probe(target.fd(), Path::new(""), name, &folder);
        Some(folder)
    }
}
