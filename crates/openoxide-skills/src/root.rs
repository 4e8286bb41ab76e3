//! Roots: the folders that a host searches, resolved for one project and user.

use std::path::PathBuf;
use std::sync::Arc;

use crate::host::{RootRule, ScanRules};
use crate::settings::Plugin;
use crate::skill::SkillScope;

mod resolve;
mod surroundings;

pub(crate) use resolve::Resolver;
pub use resolve::resolve_roots;
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
    pub plugin: Option<Plugin>,
    /// How a skill is called whose name is taken, with `{name}`.
    pub on_clash: Option<String>,
    /// What is added to the description that the model sees.
    pub note: Option<String>,
    /// The same for a skill whose name is taken, with `{name}`.
    pub note_on_clash: Option<String>,
    /// Whether somebody named the folder, so that it ought to be there.
    pub named: bool,
    /// What wakes it, if it is asleep: the folder in which a file has to be touched.
    pub asleep: Option<String>,
    /// Why it is switched off, if it is; such a root is searched only to name what does not count.
    pub off: Option<String>,
}

impl Root {
    /// Makes a root without any particulars.
    pub fn plain(path: PathBuf, scope: SkillScope, scan: ScanRules) -> Root {
        let rule = Arc::new(RootRule { scope, ..RootRule::default() });
        let (on_clash, note, note_on_clash) = (None, None, None);
        Root {
            path,
            scope,
            rule,
            scan,
            plugin: None,
            on_clash,
            note,
            note_on_clash,
            named: false,
            asleep: None,
            off: None,
        }
    }
}
