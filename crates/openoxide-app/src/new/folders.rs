//! The folders that a new skill can go to, by how many of the user's agents look there.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::catalog::View;

use crate::{Error, ErrorKind, link::Places};

/// Whose a new skill is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewOwner {
    /// The project's.
    Project,
    /// The user's, in every project.
    User,
}

/// A folder that agents look in for skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whose skills it holds.
    pub owner: NewOwner,
    /// The titles of the user's agents that look there.
    pub seen_by: Vec<String>,
    /// The user's agents that do not look there.
    pub unseen_by: Vec<OtherAgent>,
}

/// An agent that does not look in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherAgent {
    /// The name of its host.
    pub host: String,
    /// Its title.
    pub title: String,
    /// Whether it has a folder of its own that a skill can be linked into.
    pub has_folder: bool,
}

/// Returns the folders that the user's agents look in, best first: read by most of them, nearest to the project's root,
/// there already, read by most of all hosts. A folder whose readers also read a better one is left out.
pub fn folders(workspace: &Workspace, owner: NewOwner) -> Result<Vec<AgentFolder>, Error> {
    if owner == NewOwner::User && workspace.environment.home.is_none() {
        let error = Error::other(ErrorKind::Conflict, "no-home", "there is no home folder");
        return Err(error.with_help("set HOME, or use --dir DIR"));
    }
    let agents: Vec<View> = workspace.my_agents()?.hosts.into_iter().map(|host| host.view).collect();
    let readers: Vec<_> = agents.iter().map(|view| (view, paths_of(workspace, view, owner))).collect();
    let everyone: Vec<_> = workspace.views()?.iter().map(|view| paths_of(workspace, view, owner)).collect();
    let mut paths: Vec<&PathBuf> =
        readers.iter().flat_map(|(_, paths)| paths).collect::<BTreeSet<_>>().into_iter().collect();
    paths.sort_by_key(|path| {
        let mine = readers.iter().filter(|(_, paths)| paths.contains(*path)).count();
        let all = everyone.iter().filter(|paths| paths.contains(*path)).count();
        (Reverse(mine), path.components().count(), !path.is_dir(), Reverse(all))
    });
    let mut folders: Vec<AgentFolder> = Vec::new();
    for path in paths {
        let folder = folder(path, owner, &readers);
        let adds = |better: &AgentFolder| folder.seen_by.iter().any(|title| !better.seen_by.contains(title));
        if folders.iter().all(adds) {
            folders.push(folder);
        }
    }
    if folders.is_empty() { Err(no_folder(owner, &agents)) } else { Ok(folders) }
}

fn paths_of(workspace: &Workspace, view: &View, owner: NewOwner) -> BTreeSet<PathBuf> {
    let places = Places::of(workspace, view);
    let roots = places.roots(owner == NewOwner::Project).filter(|root| !root.rule.narrow);
    roots.map(|root| root.path.clone()).collect()
}

fn folder(path: &Path, owner: NewOwner, readers: &[(&View, BTreeSet<PathBuf>)]) -> AgentFolder {
    let mut folder = AgentFolder { path: path.to_owned(), owner, seen_by: Vec::new(), unseen_by: Vec::new() };
    for (view, paths) in readers {
        let title = view.host.title.clone();
        match paths.contains(path) {
            true => folder.seen_by.push(title),
            false => folder.unseen_by.push(OtherAgent { host: view.spec.id(), title, has_folder: !paths.is_empty() }),
        }
    }
    folder
}

fn no_folder(owner: NewOwner, agents: &[View]) -> Error {
    let titles: Vec<&str> = agents.iter().map(|view| view.host.title.as_str()).collect();
    let whose = if owner == NewOwner::Project { "a project" } else { "a user" };
    let message = format!("none of your agents ({}) looks in a folder for the skills of {whose}", titles.join(", "));
    Error::other(ErrorKind::Conflict, "no-folder", message).with_help("name the folder with --dir DIR")
}

#[cfg(test)]
mod tests {
    use openoxide_config::{Environment, Place};
    use openoxide_testkit::TestContext;

    use super::*;

    /// Draws the folders for agents, best first: `FOLDER: those who look there; not those who do not`.
    fn drawn(tree: &str, agents: &str, owner: NewOwner) -> String {
        let context = TestContext::new();
        context.tree(&format!("//- project/.git/\n{tree}"));
        let environment = Environment {
            cwd: context.project(),
            home: Some(context.home()),
            admin: context.root().join("etc"),
            ..Environment::default()
        };
        let config = vec![format!("my_agents=[{agents}]")];
        let workspace = Workspace::open(environment, Place { config, ..Place::default() }).unwrap();
        let line = |folder: &AgentFolder| {
            let path = folder.path.strip_prefix(context.root()).unwrap().display();
            let not: Vec<&str> = folder.unseen_by.iter().map(|agent| agent.host.as_str()).collect();
            format!("{path}: {}; not {}", folder.seen_by.join(", "), not.join(", "))
        };
        folders(&workspace, owner).unwrap().iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    fn check(tree: &str, agents: &str, owner: NewOwner, expected: &str) {
        assert_eq!(drawn(tree, agents, owner), expected, "{agents}");
    }

    #[test]
    fn the_folder_that_most_agents_read_comes_first() {
        use NewOwner::{Project, User};
        check("", "", Project, "project/.agents/skills: OpenOxide; not ");
        check("", "'codex'", Project, "project/.agents/skills: Codex; not ");
        check("", "'claude-code'", Project, "project/.claude/skills: Claude Code; not ");
        check("", "'codex', 'opencode'", Project, "project/.agents/skills: Codex, OpenCode; not ");
        check("", "'claude-code', 'opencode'", Project, "project/.claude/skills: Claude Code, OpenCode; not ");
        let three = "project/.agents/skills: Codex, OpenCode; not claude-code\n\
                     project/.claude/skills: Claude Code, OpenCode; not codex";
        check("", "'claude-code', 'codex', 'opencode'", Project, three);
        let home = "home/.agents/skills: Codex; not claude-code\nhome/.claude/skills: Claude Code; not codex";
        check("", "'claude-code', 'codex'", User, home);
    }

    #[test]
    fn of_equal_folders_the_one_that_is_there_is_taken() {
        let tree = "//- project/.claude/skills/\n//- project/sub/.agents/skills/\n";
        check(tree, "'opencode'", NewOwner::Project, "project/.claude/skills: OpenCode; not ");
        let three = "project/.claude/skills: Claude Code, OpenCode; not codex\n\
                     project/.agents/skills: Codex, OpenCode; not claude-code";
        check(tree, "'claude-code', 'codex', 'opencode'", NewOwner::Project, three);
    }
}
