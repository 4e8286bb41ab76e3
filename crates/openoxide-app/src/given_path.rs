//! Resolves a path that is given to be written to, and judges each link on the way.

use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::ownership::is_ours;
use openoxide_skills::root::{PathStep, PathSteps};

use crate::{Error, ErrorKind, paths};

/// Follows the links of a whole path. Refuses a link that leads into another repository or out of the project, one that
/// another user made, and one that leads nowhere: what would be written there is not what the path says.
///
/// What does not exist is taken as it is written.
pub(crate) fn resolve(workspace: &Workspace, path: &Path) -> Result<PathBuf, Error> {
    let (mut real, mut rest) = (PathBuf::new(), PathSteps::of(path));
    while let Some(step) = rest.next() {
        let above = real.clone();
        match step {
            PathStep::Top => real = PathBuf::from("/"),
            PathStep::Up => drop(real.pop()),
            PathStep::Name(name) => real.push(name),
        }
        let Ok(stat) = real.symlink_metadata() else { continue };
        if stat.is_symlink() {
            let next = judged_link(workspace, &real, &above, is_ours(&stat))?;
            rest.go_first(&next);
            real = above;
        }
    }
    Ok(real)
}

/// Returns what a link in a folder says, if it may be followed. A link that another link names is judged in its turn.
fn judged_link(workspace: &Workspace, link: &Path, folder: &Path, is_ours: bool) -> Result<PathBuf, Error> {
    let says = std::fs::read_link(link).map_err(|error| leads_nowhere(workspace, link, &error))?;
    // A chain of links without an end is found here, so that the walk has one.
    let target = std::fs::canonicalize(link).map_err(|error| leads_nowhere(workspace, link, &error))?;
    if !is_ours {
        return Err(refusal(workspace, link, &target, "is a link that another user made"));
    }
    if let Some(why) = leads_out(workspace, folder, &target) {
        return Err(refusal(workspace, link, &target, why));
    }
    Ok(says)
}

/// Says so if a link in a folder leads out of the project or of its repository.
fn leads_out(workspace: &Workspace, folder: &Path, target: &Path) -> Option<&'static str> {
    let project = paths::real(&workspace.project);
    let is_above = !folder.starts_with(&project) && project.starts_with(target);
    let (from, to) = (repository(folder), repository(target));
    match (from, to) {
        _ if is_above => None,
        _ if folder.starts_with(&project) && !target.starts_with(&project) => {
            Some("is a link that leads out of the project")
        }
        (None, _) => None,
        (Some(_), None) => Some("is a link that leads out of its repository"),
        (from, to) => (from != to).then_some("is a link that leads into another repository"),
    }
}

fn refusal(workspace: &Workspace, link: &Path, target: &Path, why: &str) -> Error {
    let (shown, target) = (paths::short(workspace, link), paths::short(workspace, target));
    let help = format!("nothing is written behind this link; to write there, name the folder itself: {target}");
    Error::other(ErrorKind::Conflict, "leads-out", format!("`{shown}` {why}, to `{target}`")).with_help(help)
}

fn leads_nowhere(workspace: &Workspace, link: &Path, error: &std::io::Error) -> Error {
    let shown = paths::short(workspace, link);
    let message = format!("the link `{shown}` leads nowhere: {error}");
    Error::other(ErrorKind::Conflict, "leads-out", message).with_help("remove the link, or make what it leads to")
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
        link("chain", Path::new("a/hop"));
        link("a/hop", &home.join("mine"));
        std::os::unix::fs::symlink(home.join("skills"), home.join("mine")).unwrap();
        let workspace = snapshot(&context).workspace;
        let resolve = |path: &str| resolve(&workspace, &context.root().join(path)).map_err(|error| error.word());
        assert_eq!(resolve("project/inside/new"), Ok(project.join("a/new")));
        assert_eq!(resolve("project/a/../inside"), Ok(project.join("a")));
        assert_eq!(resolve("home/mine"), Ok(home.join("skills")), "links of the user's own folders are followed");
        assert_eq!(resolve("project/out/x"), Err("leads-out"));
        assert_eq!(resolve("project/chain/x"), Err("leads-out"), "each link of a chain is judged");
        assert_eq!(resolve("project/other"), Err("leads-out"));
    }

    #[test]
    fn a_link_above_the_project_is_only_a_way_to_it() {
        let context = TestContext::new();
        context.tree("//- project/.git/HEAD\n//- home/.git/HEAD\n");
        let (project, home) = (context.project(), context.home());
        std::os::unix::fs::symlink(project.parent().unwrap(), home.join("work")).unwrap();
        let workspace = snapshot(&context).workspace;
        let work = home.join("work").join(project.file_name().unwrap());
        assert_eq!(resolve(&workspace, &work.join("new")).map_err(|error| error.word()), Ok(project.join("new")));
    }

    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let context = TestContext::new();
        context.tree("//- project/.git/HEAD\n");
        let project = context.project();
        std::os::unix::fs::symlink("gone", project.join("dangling")).unwrap();
        std::os::unix::fs::symlink("loop", project.join("loop")).unwrap();
        let workspace = snapshot(&context).workspace;
        for (name, why) in [("dangling", "No such file"), ("loop", "Too many levels")] {
            let said = resolve(&workspace, &project.join(name).join("x")).unwrap_err().to_string();
            assert!(said.contains(&format!("the link `{name}` leads nowhere: {why}")), "{said}");
        }
    }
}
