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

use rustix::fs::CWD;

use crate::diagnostic::{Code, Diagnostic};

mod target;

pub(crate) use target::{MountId, Target, mount_of, true_path};

/// The mounts that a search came across; what is opened later lies on one of them.
pub(crate) type Mounts = BTreeSet<MountId>;

/// Nothing below these is ever a skill: it is the system's, and some of it is about whoever reads it.
const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Where links of one root may lead.
#[derive(Clone, Debug, Default)]
pub struct Boundary {
    /// Folders whose contents may be linked to, whoever owns them.
    inside: Vec<PathBuf>,
    /// Whose files and folders may be linked to, wherever they lie.
    owned: Owners,
    places: LinkPlaces,
}

/// Whose files a link may lead to.
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
type UserRoots = LazyLock<Vec<PathBuf>, Box<dyn FnOnce() -> Vec<PathBuf> + Send>>;

impl LinkPlaces {
    /// Names the folder of OpenOxide's own state, and how to find the user's own skill roots.
    pub fn new(private: Option<PathBuf>, user_roots: impl FnOnce() -> Vec<PathBuf> + Send + 'static) -> LinkPlaces {
        LinkPlaces { private, user_roots: Some(Arc::new(LazyLock::new(Box::new(user_roots)))) }
    }

    fn user_roots(&self) -> &[PathBuf] {
        self.user_roots.as_ref().map_or(&[], |roots| roots.as_slice())
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
        Boundary { inside, owned: Owners::Nobody, places }
    }

    /// For what is the user's, or is trusted: links also lead to everything that the user or the system owns.
    pub fn of_user(inside: Vec<PathBuf>, places: LinkPlaces) -> Boundary {
        Boundary { inside, owned: Owners::User, places }
    }

    /// For the administrator's: links also lead to everything that the system owns.
    pub fn of_admin(inside: Vec<PathBuf>, places: LinkPlaces) -> Boundary {
        Boundary { inside, owned: Owners::Root, places }
    }

    /// Tells whether a link may lead to this target.
    pub(crate) fn may_lead(&self, target: &Target) -> bool {
        if self.places.is_private(target.path()) {
            return false;
        }
        let is_owned = match self.owned {
            Owners::Nobody => false,
            Owners::Root => target.owner() == 0,
            Owners::User => target.owner() == 0 || target.owner() == rustix::process::geteuid().as_raw(),
        };
        is_owned || self.inside.iter().any(|folder| holds(folder, target)) || self.is_in_user_root(target)
    }

    /// Returns where a path really is; nothing if it is not there, or if a link on the way leads where it may not.
    pub fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let target = Target::open(CWD, path).ok()?;
        (target.path() == path || self.may_lead(&target)).then(|| target.path().to_owned())
    }

    fn is_in_user_root(&self, target: &Target) -> bool {
        self.owned != Owners::Root && self.places.user_roots().iter().any(|root| holds(root, target))
    }

    /// Says that a link leads elsewhere, and what to do. It says nothing of what is there.
    pub fn refusal(&self) -> Diagnostic {
        let (message, help) = match self.owned {
            Owners::Nobody => (
                "the link leads out of the project, which is not trusted, so it is not read",
                "trust the project (`openoxide trust`), or put a copy in the link's place",
            ),
            Owners::User => (
                "the link leads to a private place or to what another user owns, so it is not read",
                "put a copy in the link's place, or link to a folder of your own",
            ),
            Owners::Root => (
                "the link leads to what the administrator does not own, so it is not read",
                "put a copy in the link's place, owned by root",
            ),
        };
        Diagnostic::warning(Code::LinkLeadsOut, message).help(help)
    }
}

/// Tells whether a folder holds a target, on the same mount.
fn holds(folder: &Path, target: &Target) -> bool {
    let is_inside = |folder: &Target| target.path().starts_with(folder.path()) && target.mount() == folder.mount();
    Target::open(CWD, folder).is_ok_and(|folder| is_inside(&folder))
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
        let key = |of: &Boundary| (of.owned, of.places.private.clone());
        self.inside.cmp(&other.inside).then_with(|| key(self).cmp(&key(other)))
    }
}

#[cfg(test)]
mod tests;
