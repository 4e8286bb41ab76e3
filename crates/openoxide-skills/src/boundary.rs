//! Where a link may lead: one rule for files and folders, at the search and whenever something is opened again.
//!
//! A link is never judged by its text. Its target is opened without reading anything, and the system tells where the
//! target really is, who owns it and which mount it lies on. What is read afterwards is that very descriptor, so nobody
//! can put something else in between.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use openoxide_ownership::{is_root_or, this_user};
use rustix::fs::CWD;

use crate::diagnostic::{Code, Diagnostic};

mod follow;
mod steps;
mod target;
mod user_skills;

pub use steps::{PathStep, PathSteps};
pub(crate) use target::{MountId, Target, mount_of, true_path};
pub(crate) use user_skills::LinkRole;
pub use user_skills::UserRoot;

/// The mounts that a search came across; what is opened later lies on one of them.
pub(crate) type Mounts = BTreeSet<MountId>;

/// Nothing below these is ever a skill: it is the system's, and some of it is about the process that reads it.
const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Where links of one root may lead.
#[derive(Clone, Debug, Default)]
pub struct Boundary {
    /// Folders whose contents may be linked to, no matter who owns them. In an untrusted project, only by who owns the target.
    inside: Vec<PathBuf>,
    /// Whose files and folders may be linked to, wherever they lie.
    owned: Owners,
    /// Whether the root itself has to lie there too: only a project that is not trusted names it.
    confined: bool,
    places: LinkPlaces,
}

/// Whose files a link may lead to. One of them must have made the link too; otherwise it is judged as in an untrusted project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Owners {
    /// Nobody's: only the folders that are named.
    #[default]
    Nobody,
    /// Those of the system.
    Root,
    /// Those of the user, and of the system.
    User,
}

/// Folders of the user that links are judged by.
#[derive(Clone, Default)]
pub struct LinkPlaces {
    /// OpenOxide's own state, which no link may lead to.
    private: Option<PathBuf>,
    user_roots: Option<Arc<UserRoots>>,
}

/// Found out when the first link is judged: most trees have none.
type UserRoots = LazyLock<Vec<UserRoot>, Box<dyn FnOnce() -> Vec<UserRoot> + Send>>;

impl Owners {
    fn has(self, user: u32) -> bool {
        match self {
            Owners::Nobody => false,
            Owners::Root => user == 0,
            Owners::User => is_root_or(this_user(), user),
        }
    }
}

impl LinkPlaces {
    /// Names the folder of OpenOxide's own state, and how to find the user's own skill roots.
    pub fn new(private: Option<PathBuf>, user_roots: impl FnOnce() -> Vec<UserRoot> + Send + 'static) -> LinkPlaces {
        LinkPlaces { private, user_roots: Some(Arc::new(LazyLock::new(Box::new(user_roots)))) }
    }

    fn user_roots(&self) -> &[UserRoot] {
        self.user_roots.as_ref().map_or(&[], |roots| roots.as_slice())
    }

    /// Tells whether a folder is one of the user's own skill roots.
    pub(crate) fn is_user_root(&self, folder: &Path) -> bool {
        self.user_roots().iter().any(|root| root.path == folder)
    }

    /// Tells whether a target is in a private place, or holds one.
    fn is_private(&self, target: &Path) -> bool {
        let meets = |place: &Path| target.starts_with(place) || place.starts_with(target);
        let private = self.private.as_ref().map(|place| std::fs::canonicalize(place).unwrap_or_else(|_| place.clone()));
        SYSTEM.iter().map(Path::new).any(meets) || private.is_some_and(|place| meets(&place))
    }
}

impl fmt::Debug for LinkPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkPlaces").field("private", &self.private).finish_non_exhaustive()
    }
}

/// The user's roots follow from the same values as everything else around a project.
impl PartialEq for LinkPlaces {
    fn eq(&self, other: &LinkPlaces) -> bool {
        self.private == other.private
    }
}

impl Eq for LinkPlaces {}

impl Boundary {
    /// For a project that the user does not trust: its links stay in these folders, or lead into the user's own roots.
    pub fn of_untrusted(inside: Vec<PathBuf>, places: LinkPlaces) -> Boundary {
        Boundary { inside, owned: Owners::Nobody, confined: false, places }
    }

    /// For a folder that only settings of an untrusted project name: it lies in these folders, or in the user's own roots.
    pub fn of_named_folder(inside: Vec<PathBuf>, places: LinkPlaces) -> Boundary {
        Boundary { confined: true, ..Boundary::of_untrusted(inside, places) }
    }

    /// For what is the user's, or is trusted: links also lead to everything that the user or the system owns.
    pub fn of_user(inside: Vec<PathBuf>, places: LinkPlaces) -> Boundary {
        Boundary { inside, owned: Owners::User, confined: false, places }
    }

    /// For the administrator's: links also lead to everything that the system owns.
    pub fn of_admin(inside: Vec<PathBuf>, places: LinkPlaces) -> Boundary {
        Boundary { inside, owned: Owners::Root, confined: false, places }
    }

    /// Tells whether a link may lead to this target. `role` is what the link stands for.
    pub(crate) fn may_lead(&self, target: &Target, role: LinkRole<'_>) -> bool {
        if self.places.is_private(target.path()) {
            return false;
        }
        let is_linked = target.is_linked_by(|user| self.owned.has(user));
        (is_linked && self.owned.has(target.owner()))
            || ((is_linked || target.is_linked_by_owner()) && self.is_inside(target))
            || self.is_users_skill(target, role)
    }

    fn is_inside(&self, target: &Target) -> bool {
        match (self.owned, self.inside.split_first()) {
            // The first folder is the project, whose path was resolved.
            (Owners::Nobody, Some((project, others))) => {
                holds_straight(project, target) || others.iter().any(|folder| holds(folder, target))
            }
            _ => self.inside.iter().any(|folder| holds(folder, target)),
        }
    }

    /// Tells whether a folder may be searched that is called `path` and really is `target`.
    pub(crate) fn may_be_root(&self, path: &Path, target: &Target, role: LinkRole<'_>) -> bool {
        (!self.confined && target.path() == path) || self.may_lead(target, role)
    }

    /// Returns where a path really is; nothing if it is not there, or if a link on the way leads where it may not.
    pub fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let target = Target::open(CWD, path).ok()?;
        self.may_be_root(path, &target, LinkRole::Found).then(|| target.path().to_owned())
    }

    fn is_users_skill(&self, target: &Target, role: LinkRole<'_>) -> bool {
        let is_there = |root: &UserRoot| root.has(target, role) && holds(&root.path, target);
        self.owned != Owners::Root && self.places.user_roots().iter().any(is_there)
    }

    /// Says that a folder is not searched, and what to do. It says nothing of what is there.
    pub(crate) fn root_refusal(&self) -> Diagnostic {
        if !self.confined {
            return self.refusal();
        }
        let message =
            "settings of the project name this folder outside of it, and the project is not trusted, so it is not read";
        Diagnostic::warning(Code::LinkLeadsOut, message)
            .help("trust the project (`openoxide trust`), or name the folder in your own settings")
    }

    /// Says that a link leads elsewhere, and what to do. It says nothing of what is there.
    pub fn refusal(&self) -> Diagnostic {
        let (message, help) = match self.owned {
            Owners::Nobody => (
                "the link is not followed: the project is not trusted, and the link leads out of it or to another user's file",
                "trust the project (`openoxide trust`), or put a copy in the link's place",
            ),
            Owners::User => (
                "the link is not followed: it leads to a private place or to another user's file, or another user made it",
                "put a copy in the link's place, or make a link of your own to a folder of your own",
            ),
            Owners::Root => (
                "the link is not followed: the administrator does not own what it leads to, or did not make it",
                "put a copy in the link's place, owned by root",
            ),
        };
        Diagnostic::warning(Code::LinkLeadsOut, message).help(help)
    }
}

/// Tells whether a folder holds a target, on the same mount.
fn holds(folder: &Path, target: &Target) -> bool {
    Target::open(CWD, folder).is_ok_and(|folder| is_inside(&folder, target))
}

/// Like [`holds`], for a folder whose path had no link in it: if a link stands there now, it was put there since.
fn holds_straight(folder: &Path, target: &Target) -> bool {
    Target::open(CWD, folder).is_ok_and(|opened| opened.path() == folder && is_inside(&opened, target))
}

fn is_inside(folder: &Target, target: &Target) -> bool {
    target.path().starts_with(folder.path()) && target.mount() == folder.mount()
}

impl PartialEq for Boundary {
    fn eq(&self, other: &Boundary) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Boundary {}

impl PartialOrd for Boundary {
    fn partial_cmp(&self, other: &Boundary) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Boundary {
    fn cmp(&self, other: &Boundary) -> Ordering {
        let key = |of: &Boundary| (of.owned, of.confined, of.places.private.clone());
        self.inside.cmp(&other.inside).then_with(|| key(self).cmp(&key(other)))
    }
}

#[cfg(test)]
mod tests;
