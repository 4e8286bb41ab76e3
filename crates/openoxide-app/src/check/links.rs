//! Symbolic links to what is renamed: they have to lead to it under its new name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;

use super::{plan::Plan, relink::Relink};
use crate::error::Error;
use crate::paths::relative;

/// Returns the links that renames would break, with what has to stand in them.
pub(super) fn broken_by<'l>(plan: &Plan, links: impl IntoIterator<Item = &'l PathBuf>) -> Vec<Relink> {
    links.into_iter().filter_map(|link| broken(plan, link)).collect()
}

/// Looks at what a link itself leads to. A link to another link needs no change: the other one is changed.
fn broken(plan: &Plan, path: &Path) -> Option<Relink> {
    let written = std::fs::read_link(path).ok()?;
    let parent = path.parent()?;
    let whole = parent.join(&written);
    let target = std::fs::canonicalize(whole.parent()?).ok()?.join(whole.file_name()?);
    let (path_after, target_after) = (plan.path_after(path), plan.path_after(&target));
    let text = match written.is_absolute() {
        true if target_after == target => return None,
        true => target_after.clone(),
        false => relative(path_after.parent()?, &target_after),
    };
    // Links inside of what is renamed move along, and most of them lead to the same thing by the same text.
    let is_same = !written.is_absolute() && text == relative(parent, &target);
    (!is_same).then(|| Relink { path: path.to_owned(), path_after, target: target_after, text })
}

/// Finds the links in the folders where some host looks, and in the folders directly in those.
pub(super) fn in_roots(workspace: &Workspace) -> Result<BTreeSet<PathBuf>, Error> {
    let views = workspace.views()?;
    let roots = views.iter().flat_map(|view| &view.roots);
    let roots: BTreeSet<PathBuf> = roots.filter_map(|root| std::fs::canonicalize(&root.path).ok()).collect();
    let mut links = BTreeSet::new();
    for path in roots.iter().flat_map(|root| entries(root)) {
        match path.symlink_metadata() {
            Ok(stat) if stat.is_symlink() => drop(links.insert(path)),
            // A skill may be a folder whose file is a link.
            Ok(stat) if stat.is_dir() => links.extend(entries(&path).filter(|inner| inner.is_symlink())),
            _ => {}
        }
    }
    Ok(links)
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
