//! What is sealed by its name: files and folders that agents, editors, shells and version control obey.

use std::path::{Path, PathBuf};

/// Names that are sealed directly below every folder that [`Policy::write`](super::Policy::write) grants, because other
/// programs obey these files. No folder at or below one of them can be granted.
pub const SEALED_NAMES: &[&str] = &[
    ".agent",
    ".agents",
    ".amp",
    ".claude",
    ".clinerules",
    ".codex",
    ".copilot",
    ".crush",
    ".cursor",
    ".cursorrules",
    ".devcontainer",
    ".envrc",
    ".gemini",
    ".git",
    ".githooks",
    ".github",
    ".goose",
    ".goosehints",
    ".husky",
    ".idea",
    ".kiro",
    ".mcp.json",
    ".omp",
    ".opencode",
    ".openoxide",
    ".pi",
    ".pre-commit-config.yaml",
    ".qwen",
    ".roo",
    ".roomodes",
    ".vscode",
    ".windsurf",
    ".windsurfrules",
    ".zed",
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.local.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    "crush.json",
    "lefthook.yml",
    "opencode.json",
    "opencode.jsonc",
    "openoxide.lock",
    "skills",
];

/// More names that are sealed where at least one of them exists, which distinguishes a home from a project.
pub const SEALED_AT_HOME: &[&str] = &[
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".config",
    ".gitconfig",
    ".local",
    ".npmrc",
    ".profile",
    ".ssh",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// The only sealed name that is also an ordinary name of a project.
const ORDINARY: &str = "skills";

/// Returns the sealed part of a path: the first folder of it that other programs obey.
///
/// Names above the project say nothing about it, because a project may lie anywhere: in `.claude/worktrees`, say.
pub(super) fn sealed_part(path: &Path, project: Option<&Path>) -> Option<PathBuf> {
    let project = project.filter(|project| path.starts_with(project));
    let is_inside = |part: &Path| project.is_none_or(|project| part.starts_with(project));
    let is_sealed = |part: &Path| has_sealed_name(part, project) || is_repository(part);
    let parts: Vec<&Path> = path.ancestors().filter(|part| is_inside(part)).collect();
    parts.into_iter().rev().find(|part| is_sealed(part)).map(Path::to_owned)
}

fn has_sealed_name(part: &Path, project: Option<&Path>) -> bool {
    let Some(name) = part.file_name().and_then(|name| name.to_str()) else { return false };
    if name.eq_ignore_ascii_case(ORDINARY) {
        // A folder `skills` somewhere else is anything; the one in a project or a hidden folder is what hosts search.
        return part.parent().is_some_and(|above| project == Some(above) || is_hidden(above));
    }
    SEALED_NAMES.iter().chain(SEALED_AT_HOME).any(|sealed| sealed.eq_ignore_ascii_case(name))
}

fn is_hidden(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Tells whether a folder is a repository of Git itself, whatever it is called.
fn is_repository(folder: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| folder.join(name).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_sealed_by_any_folder_of_it() {
        for (path, project, sealed) in [
            ("/p/.git/hooks", Some("/p"), Some("/p/.git")),
            ("/p/sub/.GIT", Some("/p"), Some("/p/sub/.GIT")),
            ("/h/.ssh", Some("/p"), Some("/h/.ssh")),
            ("/h/.config/fish/conf.d", None, Some("/h/.config")),
            ("/h/.claude/worktrees/p", Some("/h/.claude/worktrees/p"), None),
            (
                "/h/.claude/worktrees/p/.claude/x",
                Some("/h/.claude/worktrees/p"),
                Some("/h/.claude/worktrees/p/.claude"),
            ),
            ("/h/.claude/worktrees/q", Some("/h/.claude/worktrees/p"), Some("/h/.claude")),
            ("/h/.claude", Some("/h/.claude"), Some("/h/.claude")),
            ("/h/skills", Some("/h/skills"), None),
            ("/h/skills/out", Some("/h/skills"), None),
            ("/p/skills/deploy", Some("/p"), Some("/p/skills")),
            ("/p/build", Some("/p"), None),
            ("/data/out", None, None),
        ] {
            let found = sealed_part(Path::new(path), project.map(Path::new));
            assert_eq!(found.as_deref(), sealed.map(Path::new), "{path} {project:?}");
        }
    }

    #[test]
    fn a_repository_is_sealed_whatever_it_is_called() {
        let root = tempfile::tempdir().unwrap();
        for name in ["bare/objects", "bare/refs", "bare/hooks"] {
            fs_err::create_dir_all(root.path().join(name)).unwrap();
        }
        fs_err::write(root.path().join("bare/HEAD"), "").unwrap();
        let found = sealed_part(&root.path().join("bare/hooks"), Some(root.path()));
        assert_eq!(found, Some(root.path().join("bare")));
    }
}
