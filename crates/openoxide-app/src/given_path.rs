//! Resolves a path that is given to be written to, and judges each link on the way.

use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::ownership::is_ours;
use openoxide_skills::prelude::SkillScope;
use openoxide_skills::root::{PathStep, PathSteps, Root};
use rustix::io::Errno;

use crate::{Error, ErrorKind, paths};

/// As many links as the system follows.
const LINKS_MAX: usize = 40;

/// A link that is being followed.
struct Followed {
    /// The link.
    link: PathBuf,
    /// Whether no other user made it.
    is_ours: bool,
    /// How many steps of the path come after it.
    left: usize,
}

/// Follows the links of a whole path. Refuses a link that leads into another repository or out of the project, one that
/// another user made, and one that leads nowhere: what would be written there is not what the path says.
///
/// Each link is judged by where this walk gets to, not by a second look at it, because others may exchange it in between.
/// In what is returned is no link, so that a writer that follows no link writes to what was judged.
///
/// What does not exist is taken as it is written.
pub(crate) fn resolve(workspace: &Workspace, path: &Path) -> Result<PathBuf, Error> {
    let (mut real, mut rest) = (PathBuf::new(), PathSteps::of(path));
    let (mut followed, mut links) = (Vec::<Followed>::new(), 0);
    loop {
        while let Some(done) = followed.pop_if(|followed| followed.left == rest.len()) {
            done.judge(workspace, &real)?;
        }
        match rest.next() {
            None => return Ok(real),
            Some(PathStep::Top) => real = PathBuf::from("/"),
            Some(PathStep::Up) => drop(real.pop()),
            Some(PathStep::Name(name)) => real.push(name),
        }
        let nowhere = |error| leads_nowhere(workspace, followed.first().map_or(&real, |first| &first.link), &error);
        match real.symlink_metadata() {
            Ok(stat) if stat.is_symlink() => {
                links += 1;
                let says = if links > LINKS_MAX { Err(Errno::LOOP.into()) } else { std::fs::read_link(&real) };
                let says = says.map_err(nowhere)?;
                let link = real.clone();
                real.pop();
                followed.push(Followed { link, is_ours: is_ours(&stat), left: rest.len() });
                rest.go_first(&says);
            }
            Err(error) if !followed.is_empty() => return Err(nowhere(error)),
            _ => {}
        }
    }
}

impl Followed {
    /// Refuses the link if it led where it may not.
    fn judge(&self, workspace: &Workspace, target: &Path) -> Result<(), Error> {
        let why = match self.is_ours {
            true => leads_out(workspace, &self.link, target),
            false => Some("is a link that another user made"),
        };
        why.map_or(Ok(()), |why| Err(refusal(workspace, &self.link, target, why)))
    }
}

/// Says so if a link leads out of the project, of its repository, or of its folder where it is in neither.
fn leads_out(workspace: &Workspace, link: &Path, target: &Path) -> Option<&'static str> {
    let folder = link.parent().unwrap_or(link);
    let project = paths::real(&workspace.project);
    let is_in_project = folder.starts_with(&project);
    match (repository(folder), repository(target)) {
        // It is on the way to the project.
        _ if !is_in_project && project.starts_with(target) => None,
        _ if is_in_project && !target.starts_with(&project) => Some("is a link that leads out of the project"),
        (None, _) if is_users_own(workspace, link, folder) => None,
        (Some(_), None) => Some("is a link that leads out of its repository"),
        (from, to) if from != to => Some("is a link that leads into another repository"),
        (None, _) if !is_in_project && !target.starts_with(folder) => Some("is a link that leads out of its folder"),
        _ => None,
    }
}

/// Returns whether a link is one of those by which users keep their settings elsewhere: it is in the home folder itself, or
/// it is on the way to a folder of the user's skills.
fn is_users_own(workspace: &Workspace, link: &Path, folder: &Path) -> bool {
    let Some(home) = &workspace.environment.home else { return false };
    let real_home = paths::real(home);
    let is_on_the_way = |root: &Root| {
        let below_home = root.path.strip_prefix(home);
        let is_users = root.scope == SkillScope::User && root.plugin.is_none();
        is_users
            && (root.path.starts_with(link) || below_home.is_ok_and(|below| real_home.join(below).starts_with(link)))
    };
    let views = workspace.views();
    folder == real_home || views.is_ok_and(|views| views.iter().flat_map(|view| &view.roots).any(is_on_the_way))
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
    use crate::testing::{race, snapshot};

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
    fn a_link_outside_of_every_repository_stays_below_its_folder() {
        let context = TestContext::new();
        context.tree(
            "//- project/.git/HEAD\n//- other/.git/HEAD\n//- other/skills/\n//- plain/\n//- pack/a/\n//- pack/nested/.git\n\
             //- pack/inside -> a\n//- pack/other -> ../other/skills\n//- pack/project -> ../project\n//- pack/plain -> ../plain\n\
             //- pack/nest -> nested\n//- home/dots/.git/HEAD\n//- home/dots/claude/\n//- home/dots/skills/\n\
             //- home/.claude -> dots/claude\n//- home/.agents/skills -> ../dots/skills\n//- home/.agents/more -> ../dots/skills\n",
        );
        let workspace = snapshot(&context).workspace;
        let root = context.root();
        let resolve = |path: &str| resolve(&workspace, &root.join(path)).map_err(|error| error.word());
        assert_eq!(resolve("pack/inside/new"), Ok(root.join("pack/a/new")));
        assert_eq!(resolve("home/.claude/skills"), Ok(root.join("home/dots/claude/skills")), "a user's own settings");
        assert_eq!(resolve("home/.agents/skills/new"), Ok(root.join("home/dots/skills/new")));
        for out in ["pack/other", "pack/other/../x", "pack/plain/x", "pack/nest", "home/.agents/more"] {
            assert_eq!(resolve(out), Err("leads-out"), "{out}");
        }
    }

    #[test]
    fn what_is_judged_is_what_is_walked() {
        let context = TestContext::new();
        context.tree(
            "//- project/.git/HEAD\n//- project/.claude/skills/\n//- outside/skills/\n//- project/link -> ../outside\n",
        );
        let workspace = snapshot(&context).workspace;
        let skills = context.project().join(".claude/skills");
        race(&context, "project/.claude", "project/link", || {
            if let Ok(real) = resolve(&workspace, &skills) {
                assert_eq!(real, skills);
            }
        });
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
