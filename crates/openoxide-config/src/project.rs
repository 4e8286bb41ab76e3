//! Finds the project that a folder belongs to.

use std::path::{Path, PathBuf};

use openoxide_skills::host::{ProjectRules, Unmarked};

/// Returns the project's root: the nearest folder from `cwd` upwards that contains a marker.
///
/// Without a marker, the host's rules say what the project is.
pub fn find_project(cwd: &Path, home: Option<&Path>, rules: &ProjectRules) -> PathBuf {
    let mut top = cwd;
    for folder in cwd.ancestors() {
        if rules.below_home && Some(folder) == home && folder != cwd {
            return top.to_owned();
        }
        top = folder;
        if rules.markers.iter().any(|marker| !marker.is_empty() && folder.join(marker).exists()) {
            return folder.to_owned();
        }
    }
    match rules.unmarked {
        Unmarked::Cwd => cwd.to_owned(),
        Unmarked::Top => top.to_owned(),
        Unmarked::Home => home.filter(|home| cwd.starts_with(home)).unwrap_or(top).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_file_or_folder_marks_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap();
        let deep = root.join("a/b/c");
        fs_err::create_dir_all(&deep).unwrap();
        let rules = ProjectRules::default();
        assert_eq!(find_project(&deep, None, &rules), deep);
        fs_err::create_dir_all(root.join(".git")).unwrap();
        assert_eq!(find_project(&deep, None, &rules), root);
        fs_err::write(root.join("a/b/.git"), "gitdir: elsewhere\n").unwrap();
        assert_eq!(find_project(&deep, None, &rules), root.join("a/b"));
        let below = ProjectRules { below_home: true, markers: vec!["none".to_owned()], unmarked: Unmarked::Top };
        assert_eq!(find_project(&deep, Some(&root), &below), root.join("a"));
        let home = ProjectRules { unmarked: Unmarked::Home, below_home: false, ..below };
        assert_eq!(find_project(&deep, Some(&root), &home), root);
        assert_eq!(find_project(&deep, Some(&root.join("elsewhere")), &home), Path::new("/"));
    }
}
