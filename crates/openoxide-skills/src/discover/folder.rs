//! What a search of one root finds: its folders, the files in them that matter, and where links lead.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{file::FileFact, plan::Plan};
use crate::boundary::Mounts;
use crate::diagnostic::{Code, Diagnostic};
use crate::root::EmbeddedSkills;

/// What lies below a root.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) root: PathBuf,
    /// The root with links resolved.
    pub(crate) canonical: PathBuf,
    /// Whether there is such a folder.
    pub(crate) exists: bool,
    /// Folders, breadth first, names sorted; the root is the first.
    pub(crate) folders: Vec<Folder>,
    pub(crate) problems: Vec<(PathBuf, Diagnostic)>,
    /// The mounts that the search came across; the root's is one of them.
    pub(crate) mounts: Mounts,
    /// Limits of the plan that were reached.
    pub(crate) limits: Vec<(Code, usize)>,
    /// Skills that come inside the program, if they were found there because they are not written.
    pub(crate) embedded: Option<Arc<EmbeddedSkills>>,
}

/// A manifest's path in its folder, and its bytes or why they cannot be read.
pub(crate) type Manifest = (String, Result<Vec<u8>, String>);

#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) canonical: Option<PathBuf>,
    pub(crate) parent: usize,
    pub(crate) depth: usize,
    pub(crate) hidden: bool,
    pub(crate) linked: bool,
    /// Whether it is a link that leads where it may not: nothing of it is looked at.
    pub(crate) barred: bool,
    /// How many entries it has; 0 where it was not listed, as a skill's own folder often is not.
    pub(crate) entries: usize,
    pub(crate) files: Vec<FileFact>,
    /// Whether it is the same folder as one found earlier; it is not searched again.
    pub(crate) repeats: bool,
    /// Whether it is a link to a folder that holds it.
    pub(crate) cycle: bool,
    /// Whether it lies where no host looks, and is searched only for what is ignored.
    pub(crate) aside: bool,
    pub(crate) manifests: Vec<Manifest>,
}

impl Folder {
    pub(crate) fn canonical(&self) -> &Path {
        self.canonical.as_deref().unwrap_or(&self.path)
    }

    pub(super) fn has_skill(&self, plan: &Plan) -> bool {
        self.files.iter().any(|file| plan.files.contains(&file.name) && !(file.is_link && file.parsed.is_empty()))
    }
}

/// A folder in a folder, which holds a metadata file or a manifest, or a manifest that is a link: where it really is, if it
/// leads anywhere, and where it was found.
pub(super) type Inner = (Option<PathBuf>, PathBuf);

pub(super) fn inner_folders<'n>(folder: &Folder, names: impl IntoIterator<Item = &'n str>) -> Vec<Inner> {
    let mut inner: Vec<Inner> = Vec::new();
    for name in names {
        let found = folder.canonical().join(name);
        let Ok(stat) = std::fs::symlink_metadata(&found) else { continue };
        if stat.is_symlink() {
            inner.push((std::fs::canonicalize(&found).ok(), folder.path.join(name)));
        } else if stat.is_dir() {
            inner.push((Some(found), folder.path.join(name)));
        }
    }
    inner
}

pub(super) fn linked_manifests<'n>(folder: &Folder, files: impl IntoIterator<Item = &'n String>) -> Vec<Inner> {
    let links = files.into_iter().map(|file| folder.path.join(file)).filter(|path| path.is_symlink());
    links.map(|path| (std::fs::canonicalize(&path).ok(), path)).collect()
}
