//! Resolves a path that is given to be written to, and judges each link on the way.

use std::path::{Component, Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::ownership::is_ours;

use crate::{Error, ErrorKind, paths};

/// Follows the links of a whole path. Refuses a link that leads into another repository or out of the project, and one that
/// another user made: what would be written there is not what the path says.
///
/// What does not exist is taken as it is written.
pub(crate) fn resolve(workspace: &Workspace, path: &Path) -> Result<PathBuf, Error> {
    let mut real = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            real.pop();
            continue;
        }
        let above = real.clone();
        real.push(part);
        let Ok(stat) = real.symlink_metadata() else { continue };
        if stat.is_symlink() {
            let target = std::fs::read_link(&real).and_then(|target| std::fs::canonicalize(above.join(target)))?;
            if !is_ours(&stat) {
                return Err(refusal(workspace, &real, &target, "is a link that another user made"));
            }
            if let Some(why) = leads_out(workspace, &above, &target) {
                return Err(refusal(workspace, &real, &target, why));
            }
            real = target;
        }
    }
    Ok(real)
}

/// Says so if a link in a folder leads out of the project, or into another repository.
fn leads_out(workspace: &Workspace, folder: &Path, target: &Path) -> Option<&'static str> {
    let project = paths::real(&workspace.project);
    if folder.starts_with(&project) && !target.starts_with(&project) {
        return Some("is a link that leads out of the project");
    }
    let from = repository(folder);
    (from.is_some() && from != repository(target)).then_some("is a link that leads into another repository")
}

fn refusal(workspace: &Workspace, link: &Path, target: &Path, why: &str) -> Error {
    let (shown, target) = (paths::short(workspace, link), paths::short(workspace, target));
    let help = format!("nothing is written through it; if you mean what it leads to, name that: {target}");
    Error::other(ErrorKind::Conflict, "leads-out", format!("`{shown}` {why}, to `{target}`")).with_help(help)
}

/// Returns the root of the git repository that a folder is in: the nearest folder that has a `.git`, which is a file in
/// a submodule.
pub(crate) fn repository(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::testing::snapshot;

    #[test]
    fn a_repository_is_the_nearest_folder_with_git_in_it() {
        let context = TestContext::new();
        context.tree("//- project/.git/HEAD\n//- project/sub/.git\ngitdir: ../.git/modules/sub\n//- project/sub/a/\n");
        let project = context.project();
        assert_eq!(repository(&project.join("sub/a")), Some(project.join("sub")));
        assert_eq!(repository(&project.join("other")), Some(project));
    }

    #[test]
    fn a_link_may_not_lead_into_another_repository() {
        let context = TestContext::new();
        context.tree("//- project/.git/HEAD\n//- project/a/\n//- project/nested/.git/HEAD\n//- home/skills/\n");
        let (project, home) = (context.project(), context.home());
        let link = |name: &str, target: &Path| std::os::unix::fs::symlink(target, project.join(name)).unwrap();
        link("inside", Path::new("a/../a"));
        link("out", &home.join("skills"));
        link("other", &project.join("nested"));
        std::os::unix::fs::symlink(home.join("skills"), home.join("mine")).unwrap();
        let workspace = snapshot(&context).workspace;
        let resolve = |path: &str| resolve(&workspace, &context.root().join(path)).map_err(|error| error.word());
        assert_eq!(resolve("project/inside/new"), Ok(project.join("a/new")));
        assert_eq!(resolve("project/a/../inside"), Ok(project.join("a")));
        assert_eq!(resolve("home/mine"), Ok(home.join("skills")), "links of the user's own folders are followed");
        assert_eq!(resolve("project/out/x"), Err("leads-out"));
        assert_eq!(resolve("project/other"), Err("leads-out"));
    }
}
