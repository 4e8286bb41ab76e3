//! Links to a skill's folder or file, which are replaced when that is renamed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, WriteDir};

use crate::paths::{relative, short};
use crate::{error::Error, progress::Progress};

pub(super) struct Link {
    /// Its path, without links before its own name.
    path: PathBuf,
    /// The path that it leads to, relative to what is renamed.
    rest: PathBuf,
    is_absolute: bool,
}

/// Finds the links to something, and to what is in it, in the folders of every host.
pub(super) fn links_to(workspace: &Workspace, old: &Path) -> Result<Vec<Link>, Error> {
    let views = workspace.views()?;
    let roots = views.iter().flat_map(|view| &view.roots);
    let roots: BTreeSet<PathBuf> = roots.filter_map(|root| std::fs::canonicalize(&root.path).ok()).collect();
    let mut links = Vec::new();
    for root in roots {
        for path in entries(&root) {
            links.extend(link_to(&path, old));
            // A skill may be a folder whose file is a link; links of the skill itself move with it.
            if path != old && path.symlink_metadata().is_ok_and(|stat| stat.is_dir()) {
                links.extend(entries(&path).filter_map(|inner| link_to(&inner, old)));
            }
        }
    }
    links.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(links)
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Looks at what a link itself leads to. A link to another link needs no change: the other one is replaced.
fn link_to(path: &Path, old: &Path) -> Option<Link> {
    let text = std::fs::read_link(path).ok()?;
    let whole = path.parent()?.join(&text);
    let target = std::fs::canonicalize(whole.parent()?).ok()?.join(whole.file_name()?);
    let rest = target.strip_prefix(old).ok()?.to_owned();
    Some(Link { path: path.to_owned(), rest, is_absolute: text.is_absolute() })
}

impl Link {
    /// Makes it lead to the same thing under the new name.
    pub(super) fn retarget(&self, workspace: &Workspace, new: &Path) -> Progress {
        // Joined only if there is something: an empty rest would end the path in a slash.
        let target = if self.rest.as_os_str().is_empty() { new.to_owned() } else { new.join(&self.rest) };
        let link = short(workspace, &self.path);
        match self.replace(&target) {
            Ok(()) => Progress::Done(format!("linked {link} to {}", short(workspace, &target))),
            Err(error) => Progress::Warning(format!("{link} leads nowhere now, and cannot be made anew: {error}")),
        }
    }

    /// Puts a new link in the place of the old one in one step, so that there is always one.
    fn replace(&self, target: &Path) -> std::io::Result<()> {
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        let text = if self.is_absolute { target.to_owned() } else { relative(parent, target) };
        WriteDir::open(parent)?.relink(self.path.file_name().unwrap_or_default(), &text)
    }
}
