//! Finds the repository of a Git worktree, which lies elsewhere and which Git must read.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use openoxide_skills::ownership::others_write;

/// Most bytes of the small files that say where a repository is.
const MAX: u64 = 4096;

/// Returns the folder of the repository that a project is a worktree of.
///
/// A project's `.git` may name any folder, so that the folder must agree: it is a repository's, and says itself that the
/// project is its worktree.
pub(crate) fn repository(project: &Path) -> Option<PathBuf> {
    let link = project.join(".git");
    let private = pointed(&link, "gitdir:", project)?;
    let back = pointed(&private.join("gitdir"), "", &private)?;
    let common = pointed(&private.join("commondir"), "", &private)?;
    let is_its_own = back == std::fs::canonicalize(&link).ok()? && private.starts_with(&common);
    let is_repository = common.join("HEAD").is_file() && common.join("objects").is_dir();
    (is_its_own && is_repository && is_of_one_owner(&link, &common)).then_some(common)
}

/// Tells whether a repository belongs to whom the project belongs, and others cannot write in it: in a shared folder,
/// anyone could put the files of a repository beside those of others.
fn is_of_one_owner(link: &Path, common: &Path) -> bool {
    let (Ok(link), Ok(stat)) = (std::fs::symlink_metadata(link), std::fs::symlink_metadata(common)) else {
        return false;
    };
    link.uid() == stat.uid() && !others_write(common, &stat)
}

/// Returns the path that a small file holds after `label`, without links.
fn pointed(file: &Path, label: &str, base: &Path) -> Option<PathBuf> {
    let is_small = std::fs::symlink_metadata(file).is_ok_and(|found| found.is_file() && found.len() <= MAX);
    let text = is_small.then(|| fs_err::read_to_string(file).ok()).flatten()?;
    std::fs::canonicalize(base.join(text.trim().strip_prefix(label)?.trim())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay(root: &Path) -> (PathBuf, PathBuf) {
        let (project, common) = (root.join("project"), root.join("main/.git"));
        let private = common.join("worktrees/project");
        for folder in [&project, &private, &common.join("objects")] {
            fs_err::create_dir_all(folder).unwrap();
        }
        fs_err::write(common.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs_err::write(project.join(".git"), format!("gitdir: {}\n", private.display())).unwrap();
        fs_err::write(private.join("gitdir"), format!("{}\n", project.join(".git").display())).unwrap();
        fs_err::write(private.join("commondir"), "../..\n").unwrap();
        (project, std::fs::canonicalize(common).unwrap())
    }

    #[test]
    fn a_worktree_and_its_repository_agree() {
        let root = tempfile::tempdir().unwrap();
        let (project, common) = lay(root.path());
        assert_eq!(repository(&project), Some(common));
        assert_eq!(repository(root.path()), None);
    }

    /// Otherwise a project could have any folder of the user's read.
    #[test]
    fn a_project_cannot_name_a_folder_that_does_not_know_it() {
        let root = tempfile::tempdir().unwrap();
        let (project, common) = lay(root.path());
        let secrets = root.path().join("secrets");
        fs_err::create_dir_all(secrets.join("objects")).unwrap();
        fs_err::write(secrets.join("HEAD"), "x").unwrap();
        fs_err::write(project.join(".git"), format!("gitdir: {}\n", secrets.display())).unwrap();
        assert_eq!(repository(&project), None);
        lay(root.path());
        let mode = std::os::unix::fs::PermissionsExt::from_mode;
        std::fs::set_permissions(&common, mode(0o1777)).unwrap();
        assert_eq!(repository(&project), None, "a folder that anyone can write in");
        std::fs::set_permissions(&common, mode(0o775)).unwrap();
        let stat = std::fs::metadata(&common).unwrap();
        assert_eq!(repository(&project).is_some(), stat.uid() == stat.gid(), "a group may have other members");
        if std::os::unix::fs::chown(&common, None, Some(stat.uid() + 1)).is_ok() {
            assert_eq!(repository(&project), None, "a folder that a group can write in");
        }
        std::fs::set_permissions(&common, mode(0o755)).unwrap();
        assert!(repository(&project).is_some());
        fs_err::write(common.join("worktrees/project/gitdir"), "/elsewhere/.git\n").unwrap();
        assert_eq!(repository(&project), None);
        lay(root.path());
        fs_err::write(common.join("worktrees/project/commondir"), format!("{}\n", secrets.display())).unwrap();
        assert_eq!(repository(&project), None);
    }
}
