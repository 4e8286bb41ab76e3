//! A folder that was searched, as the search found it.

use std::{path::PathBuf, sync::Arc};

use crate::boundary::Mounts;
use crate::root::{EmbeddedSkills, Root};

/// A folder that was searched.
#[derive(Clone, Debug)]
pub struct SearchedRoot {
    /// The folder.
    pub root: Root,
    /// Whether there is such a folder.
    pub exists: bool,
    /// The folder with links resolved.
    pub canonical: PathBuf,
    /// The mounts that the search came across.
    pub(crate) mounts: Mounts,
    /// Skills that come inside the program, if they were found there because they are not written.
    pub(crate) embedded: Option<Arc<EmbeddedSkills>>,
}
