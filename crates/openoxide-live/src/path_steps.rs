//! Splits a path into the steps to watch, so that a change of its target is noticed even if parts are missing.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// A path with more links than this is a loop.
const LINKS_MAX: usize = 40;

/// Returns the steps from the top to the target of a path: each is a folder, with links resolved, and the name to watch
/// in it. The steps end where something is missing, so that its creation is noticed.
pub(crate) fn path_steps(path: &Path) -> Vec<(PathBuf, OsString)> {
    let mut steps = Vec::new();
    let mut ahead: VecDeque<OsString> = parts(path).collect();
    let mut at = PathBuf::from("/");
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        steps.push((at.clone(), name));
        let Ok(stat) = next.symlink_metadata() else { break };
        if !stat.is_symlink() {
            at = next;
            continue;
        }
        links += 1;
        let Some(target) = std::fs::read_link(&next).ok().filter(|_| links <= LINKS_MAX) else { break };
        if target.is_absolute() {
            at = PathBuf::from("/");
        }
        for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
            ahead.push_front(part);
        }
    }
    steps
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsStr::new("..").to_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_through_links_and_ends_where_something_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(dir.path()).unwrap();
        fs_err::create_dir_all(root.join("real/inner")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("link/inner"), root.join("far")).unwrap();
        let below = |path: &str| -> Vec<String> {
            let steps = path_steps(&root.join(path)).into_iter();
            let shown = steps.filter_map(|(dir, name)| Some(dir.strip_prefix(&root).ok()?.join(name)));
            shown.map(|path| path.display().to_string()).collect()
        };
        assert_eq!(below("real/inner"), ["real", "real/inner"]);
        assert_eq!(below("far/file"), ["far", "link", "real", "real/inner", "real/inner/file"]);
        assert_eq!(below("real/none/more"), ["real", "real/none"]);
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
        assert!(path_steps(&root.join("loop")).len() < 60, "it ends");
    }
}
