//! Decides which changes of a command are made in the real folder.

use std::os::fd::BorrowedFd;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::obeyed::{Obeyed, obeyed};
use super::upper::Entry;
use crate::Policy;
use crate::policy::REPOSITORY_HEAD;

/// The bits that let a file run as its owner or group.
const SPECIAL: u32 = 0o6000;

pub(super) const SEALED: &str = "it is sealed, because other programs obey what stands there";
const TOO_MUCH: &str = "there is too much in the folder to find out what other programs obey";
pub(super) const CONFLICT: &str = "another process changed it meanwhile";

/// What must stay as it is in a writable folder.
pub(super) struct Judge<'a> {
    policy: &'a Policy,
    root: &'a Path,
    /// The same folder, held open.
    real: BorrowedFd<'a>,
    /// What links that other programs obey lead to.
    obeyed: Obeyed,
}

impl<'a> Judge<'a> {
    pub(super) fn new(policy: &'a Policy, root: &'a Path, real: BorrowedFd<'a>) -> Self {
        let project = policy.project.as_deref().filter(|project| root.starts_with(project));
        Self { policy, root, real, obeyed: obeyed(policy, project.unwrap_or(root)) }
    }

    /// Tells whether a path is sealed itself. Nothing above it is asked.
    pub(super) fn is_sealed(&self, path: &Path) -> bool {
        self.policy.is_sealed(path) || self.obeyed.sealed.contains(path)
    }

    /// Tells whether a folder must stay one, because a link that other programs obey leads through it.
    pub(super) fn is_way(&self, path: &Path) -> bool {
        self.obeyed.ways.contains(path)
    }

    /// Returns why nothing at all may be changed: a link that other programs obey leads to the writable folder or above it, or
    /// not all such links are known.
    pub(super) fn refusal_of_all(&self) -> Option<&'static str> {
        if self.root.ancestors().any(|path| self.obeyed.sealed.contains(path)) {
            return Some(SEALED);
        }
        self.obeyed.is_cut.then_some(TOO_MUCH)
    }

    /// Returns why a change is not made, whatever stands in the real folder; nothing if it may be.
    pub(super) fn refusal(&self, path: &Path, entry: &Entry) -> Option<&'static str> {
        if self.is_sealed(path) || self.is_way(path) && !matches!(entry, Entry::Folder(_)) {
            return Some(SEALED);
        }
        match entry {
            Entry::Other => Some("it is a pipe, a socket or a device"),
            Entry::File(mode) if mode.as_raw_mode() & SPECIAL != 0 => Some("it has the setuid or setgid bit"),
            // Parts of a repository can come one by one, and from several commands; this one makes it a repository.
            Entry::File(_) | Entry::Link(_) if is_head(path) => Some(SEALED),
            Entry::Link(target) if leads_out(self.root, path, target) || self.leads_on(path, target) => {
                Some("it is a link that leads out of the folder")
            }
            _ => None,
        }
    }
}

impl Judge<'_> {
    /// Tells whether a link leads out by another link that is there already.
    fn leads_on(&self, path: &Path, target: &Path) -> bool {
        let from = path.parent().unwrap_or(path);
        let joined = from.join(target);
        let Ok(inside) = joined.strip_prefix(self.root) else { return true };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let opened = rustix::fs::openat2(self.real, inside, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve);
        matches!(opened, Err(Errno::XDEV | Errno::LOOP))
    }
}

fn is_head(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == REPOSITORY_HEAD)
}

/// Tells whether a link leads out of the folder, now or after another link has been put in its way.
///
/// So `..` may stand only at its beginning, where it is counted from a real folder: after a name that is or becomes a link,
/// it could lead anywhere.
fn leads_out(root: &Path, path: &Path, target: &Path) -> bool {
    let is_plain = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    if target.is_absolute() {
        return !target.strip_prefix(root).is_ok_and(is_plain);
    }
    let depth = path.strip_prefix(root).map_or(0, |inside| inside.components().count() - 1);
    let is_upwards = |part: &Component<'_>| matches!(part, Component::ParentDir | Component::CurDir);
    let upwards = target.components().take_while(is_upwards);
    let count = upwards.clone().filter(|part| *part == Component::ParentDir).count();
    let rest: &Path = &target.components().skip(upwards.count()).collect::<std::path::PathBuf>();
    count > depth || !is_plain(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_stay_inside_are_kept() {
        let root = Path::new("/p");
        for (path, target, leads) in [
            ("/p/a", "b", false),
            ("/p/a", "./b/c", false),
            ("/p/a", "/p/b", false),
            ("/p/a", "/p", false),
            ("/p/x/y/a", "../../b", false),
            ("/p/a", "..", true),
            ("/p/x/a", "../..", true),
            ("/p/a", "/etc/passwd", true),
            ("/p/a", "/p/../etc", true),
            ("/p/a", "/pp/b", true),
            ("/p/x/a", "b/../../c", true),
            ("/p/x/a", "../b/../../c", true),
            ("/p/a", "/proc/self/root", true),
        ] {
            assert_eq!(leads_out(root, Path::new(path), Path::new(target)), leads, "{path} -> {target}");
        }
    }
}
