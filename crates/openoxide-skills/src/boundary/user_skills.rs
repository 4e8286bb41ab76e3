//! What of the user's own a link in an untrusted project may lead to: a skill, as what it is and under its own name.
//!
//! Rules go by names. A link that gave a skill another name, or showed one of its files as a skill, would pass by them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::AtFlags;

use super::Target;

/// A folder where some host looks for the user's own skills.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UserRoot {
    /// The folder.
    pub path: PathBuf,
    /// Whether skills are single files there, and not folders.
    pub flat: bool,
}

/// What a link stands for where it is found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LinkRole<'l> {
    /// A whole root.
    Root { flat: bool },
    /// A folder of this name in a root.
    Folder { name: &'l OsStr, flat: bool },
    /// A skill's own file, at this path.
    SkillFile { path: &'l Path, flat: bool },
    /// Something that a search found, and judged by what it is.
    Found,
    /// Anything else, such as metadata beside a skill.
    Other,
}

impl UserRoot {
    /// Tells whether a target below this root may be shown in that role.
    pub(super) fn has(&self, target: &Target, role: LinkRole<'_>) -> bool {
        let is_whole = || std::fs::canonicalize(&self.path).is_ok_and(|root| root == target.path());
        match role {
            LinkRole::Root { flat } => self.flat == flat && is_whole(),
            LinkRole::Folder { name, flat: false } => {
                !self.flat && (is_whole() || (target.path().file_name() == Some(name) && holds_skill(target)))
            }
            // A folder of single files holds many skills, and gives each a part of its name.
            LinkRole::Folder { flat: true, .. } | LinkRole::Other => false,
            LinkRole::SkillFile { path, flat } => {
                self.flat == flat && name_of(path, flat) == name_of(target.path(), flat)
            }
            LinkRole::Found => true,
        }
    }
}

/// Returns the name that a skill's file has by its place.
fn name_of(file: &Path, flat: bool) -> Option<&OsStr> {
    match flat {
        true => file.file_stem().filter(|_| file.extension() == Some(OsStr::new("md"))),
        false => file.parent().and_then(Path::file_name).filter(|_| is_skill_file(file)),
    }
}

fn is_skill_file(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"))
}

fn holds_skill(folder: &Target) -> bool {
    let is_there = |name: &str| rustix::fs::statat(folder.fd(), name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
    ["SKILL.md", "skill.md"].into_iter().any(is_there)
}
