//! Knows where some host takes single files for skills.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::host::Layout;
use crate::root::Root;

/// The folders in which some host takes single files for skills, links resolved.
#[derive(Clone, Debug, Default)]
pub struct SingleFiles(Vec<(PathBuf, Layout)>);

impl SingleFiles {
    /// Returns the folders among these roots.
    pub fn of<'r>(roots: impl IntoIterator<Item = &'r Root>) -> SingleFiles {
        let flat = roots.into_iter().filter(|root| root.scan.layout.is_flat());
        let folders = flat.filter_map(|root| Some((std::fs::canonicalize(&root.path).ok()?, root.scan.layout)));
        let mut known: Vec<(PathBuf, Layout)> = Vec::new();
        for folder in folders {
            if !known.contains(&folder) {
                known.push(folder);
            }
        }
        SingleFiles(known)
    }

    /// Returns what a file is called as a skill of its own, by each host that takes it for one.
    pub(super) fn names(&self, file: &Path) -> Vec<String> {
        // A file of this name stands for its folder.
        if file.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md")) {
            return Vec::new();
        }
        let called = |(folder, layout): &(PathBuf, Layout)| {
            let way = file.strip_prefix(folder).ok()?.with_extension("");
            let parts: Vec<_> = way.iter().map(OsStr::to_string_lossy).collect();
            (*layout == Layout::Flat || parts.len() == 1).then(|| parts.join(":"))
        };
        self.0.iter().filter_map(called).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_file_is_a_skill_where_a_host_takes_it_for_one() {
        let folders = [("/p/commands", Layout::Flat), ("/p/skills", Layout::Files)];
        let files = SingleFiles(folders.map(|(folder, layout)| (folder.into(), layout)).into());
        let names = |file: &str| files.names(Path::new(file)).concat();
        assert_eq!(names("/p/commands/deep/x.md"), "deep:x");
        assert_eq!(names("/p/skills/x.md"), "x");
        assert_eq!(names("/p/skills/pdf/x.md") + &names("/p/x.md") + &names("/p/commands/SKILL.md"), "");
    }
}
