//! Roots: the folders that a host searches, resolved for one project and user.

use std::{path::PathBuf, sync::Arc};

pub use crate::boundary::{Boundary, LinkPlaces, PathStep, PathSteps, UserRoot};
use crate::host::{RootRule, ScanRules};
use crate::{settings::Plugin, skill::SkillScope};

mod embedded;
mod resolve;
mod surroundings;

pub use embedded::EmbeddedSkills;
pub(crate) use resolve::Resolver;
pub use resolve::{SleepingSearch, resolve_roots};
pub use surroundings::Surroundings;

/// A folder that is searched.
#[derive(Clone, Debug)]
pub struct Root {
    /// The folder.
    pub path: PathBuf,
    /// Whose it is.
    pub scope: SkillScope,
    /// The host's rule that it stands for.
    pub rule: Arc<RootRule>,
    /// How it is searched.
    pub scan: ScanRules,
    /// The plugin it belongs to.
    pub plugin: Option<Arc<Plugin>>,
    /// The way from cwd to the folder that a walk stopped at.
    pub rel: String,
    /// Whether a user or a setting named the folder, so that it ought to be there.
    pub named: bool,
    /// Whether it is asleep until a file in `rel` is touched.
    pub asleep: bool,
    /// Why it is switched off, if it is; such a root is searched only to name what is ignored.
    pub off: Option<String>,
    /// Where links in it may lead.
    pub boundary: Boundary,
}

impl Root {
    /// Makes a root without any particulars.
    pub fn plain(path: PathBuf, scope: SkillScope, scan: ScanRules, boundary: Boundary) -> Root {
        let rule = Arc::new(RootRule { scope, ..RootRule::default() });
        let (plugin, rel, off) = (None, String::new(), None);
        Root { path, scope, rule, scan, plugin, rel, named: false, asleep: false, off, boundary }
    }
}
