//! Knows where some host takes single files for skills.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::host::Layout;
use crate::root::Root;

/// The folders in which some host takes single files for skills.
#[derive(Clone, Debug, Default)]
pub struct SingleFiles {
    /// Whole paths, links resolved.
    folders: Vec<(PathBuf, Layout)>,
    /// The ends of those in the project. Below any folder they may be such a folder for a host that looks from there.
    ends: Vec<(PathBuf, Layout)>,
}

impl SingleFiles {
    /// Returns the folders among these roots of a project.
    pub fn of<'r>(roots: impl IntoIterator<Item = &'r Root>, project: &Path) -> SingleFiles {
        let mut known = SingleFiles::default();
        for root in roots.into_iter().filter(|root| root.scan.layout.is_flat()) {
            let folder = std::fs::canonicalize(&root.path).ok();
            let end = root.path.strip_prefix(project).ok().filter(|end| !end.as_os_str().is_empty());
            for (path, list) in [(folder.as_deref(), &mut known.folders), (end, &mut known.ends)] {
                let place = path.map(|path| (path.to_owned(), root.scan.layout));
                list.extend(place.filter(|place| !list.contains(place)));
            }
        }
        known
    }

    /// Returns what a file is called as a skill of its own, by each host that takes it for one.
    pub(super) fn names(&self, file: &Path) -> Vec<String> {
        // A file of this name stands for its folder.
        if file.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md")) {
            return Vec::new();
        }
        let called = |folder: &Path, layout: Layout| {
            let way = file.strip_prefix(folder).ok()?.with_extension("");
            let parts: Vec<_> = way.iter().map(OsStr::to_string_lossy).collect();
            (layout == Layout::Flat || parts.len() == 1).then(|| parts.join(":"))
        };
        let here = self.folders.iter().filter_map(|(folder, layout)| called(folder, *layout));
        let ends = self.ends.iter().flat_map(|(end, layout)| {
            let folders = file.ancestors().skip(1).filter(move |folder| folder.ends_with(end));
            folders.filter_map(|folder| called(folder, *layout))
        });
        here.chain(ends).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_file_is_a_skill_where_a_host_takes_it_for_one() {
        let folders = [("/p/commands", Layout::Flat), ("/p/skills", Layout::Files)];
        let folders = folders.map(|(folder, layout)| (folder.into(), layout)).into();
        let files = SingleFiles { folders, ends: vec![(".x/commands".into(), Layout::Flat)] };
        let names = |file: &str| files.names(Path::new(file)).concat();
        assert_eq!(names("/p/commands/deep/x.md"), "deep:x");
        assert_eq!(names("/p/skills/x.md"), "x");
        assert_eq!(names("/q/below/.x/commands/deep/x.md"), "deep:x");
        assert_eq!(names("/q/below/commands/x.md"), "");
        assert_eq!(names("/p/skills/pdf/x.md") + &names("/p/x.md") + &names("/p/commands/SKILL.md"), "");
    }
}
