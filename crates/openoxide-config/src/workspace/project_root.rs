//! Finds the root of a project. What another user may have put above a folder does not make it part of a project.

use std::path::{Path, PathBuf};

use openoxide_skills::host::{ProjectRules, Unmarked};
use openoxide_skills::ownership::{is_ours, is_sticky, others_write};

/// Returns the folder whose trust is decided on: the nearest from `cwd` upwards that contains a repository.
///
/// A repository that holds the user's whole home, such as one of dotfiles, is the project of nobody below: what is
/// unpacked there is not the user's because of where it lies.
pub fn find_repository(cwd: &Path, home: Option<&Path>) -> PathBuf {
    let found = find_project(cwd, home, &ProjectRules::default());
    let home = home.map(|home| std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned()));
    let is_too_wide = found.parent().is_none() || home.is_some_and(|home| home.starts_with(&found));
    if is_too_wide { cwd.to_owned() } else { found }
}

/// Tells whether a folder is the root of a repository.
pub fn is_repository(folder: &Path) -> bool {
    ProjectRules::default().markers.iter().any(|marker| is_marked(folder, marker, folder))
}

/// Returns the project's root: the nearest folder from `cwd` upwards that contains a marker.
///
/// Without a marker, the host's rules say what the project is. Above `cwd`, only a marker is taken that belongs to this user or
/// root, and a folder in which other users can make files is not passed.
pub fn find_project(cwd: &Path, home: Option<&Path>, rules: &ProjectRules) -> PathBuf {
    let mut top = cwd;
    for folder in cwd.ancestors() {
        if rules.below_home && Some(folder) == home && folder != cwd {
            return top.to_owned();
        }
        if rules.markers.iter().any(|marker| is_marked(folder, marker, cwd)) {
            return folder.to_owned();
        }
        if folder != cwd && is_shared(folder) {
            break;
        }
        top = folder;
    }
    match rules.unmarked {
        Unmarked::Cwd => cwd.to_owned(),
        Unmarked::Top => top.to_owned(),
        Unmarked::Home => home.filter(|home| cwd.starts_with(home) && home.starts_with(top)).unwrap_or(top).to_owned(),
    }
}

/// Tells whether a marker makes this folder the root of the project that `cwd` is in.
pub(crate) fn is_marked(folder: &Path, marker: &str, cwd: &Path) -> bool {
    let mark = folder.join(marker);
    if marker.is_empty() || !mark.exists() {
        return false;
    }
    let (Ok(mark), Ok(holder)) = (std::fs::symlink_metadata(&mark), std::fs::metadata(folder)) else { return false };
    // Others may put a file of ours into a folder where they can write, but not a folder of ours.
    let is_in_place = || !others_write(folder, &holder) || (is_sticky(&holder) && mark.is_dir());
    folder == cwd || (is_ours(&mark) && is_ours(&holder) && is_in_place())
}

/// Tells whether other users can make files in a folder.
fn is_shared(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|stat| !is_ours(&stat) || others_write(folder, &stat))
}
