//! What is sealed by its name: files and folders that agents, editors, shells and version control obey.

use std::path::{Path, PathBuf};

/// Names that are sealed wherever they stand in a folder that a command may change, because other programs obey these
/// files: agents, editors, shells, version control and its hooks, package managers, and what runs after a push. No folder at
/// or below one of them can be granted.
pub const SEALED_NAMES: &[&str] = &[
    // Agents, and their instructions.
    ".adal",
    ".agent",
    ".agents",
    ".aiassistant",
    ".aider.conf.yml",
    ".aider.model.settings.yml",
    ".amazonq",
    ".amp",
    ".antigravity",
    ".augment",
    ".augment-guidelines",
    ".bob",
    ".claude",
    ".claude-plugin",
    ".cline",
    ".clinerules",
    ".clinerules-code",
    ".codebuddy",
    ".codeium",
    ".codex",
    ".cody",
    ".commandcode",
    ".continue",
    ".continuerc.json",
    ".copilot",
    ".crush",
    ".cursor",
    ".cursor-plugin",
    ".cursorrules",
    ".factory",
    ".firebender",
    ".gemini",
    ".goose",
    ".goosehints",
    ".goosehints.local",
    ".grok",
    ".idx",
    ".iflow",
    ".junie",
    ".kilocode",
    ".kilocodemodes",
    ".kilocoderules",
    ".kimi",
    ".kiro",
    ".kode",
    ".lingma",
    ".mcp.json",
    ".mux",
    ".neovate",
    ".omp",
    ".opencode",
    ".opencode.json",
    ".openhands",
    ".openhands_instructions",
    ".openoxide",
    ".pi",
    ".pochi",
    ".qoder",
    ".qodo",
    ".qwen",
    ".replit",
    ".roo",
    ".roomodes",
    ".roorules",
    ".rovodev",
    ".ruler",
    ".rules",
    ".rulesync",
    ".serena",
    ".sourcegraph",
    ".tabnine",
    ".trae",
    ".vibe",
    ".warp",
    ".windsurf",
    ".windsurfrules",
    ".windsurfrules.md",
    ".zencoder",
    "AGENT.md",
    "AGENTS.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.local.md",
    "CLAUDE.md",
    "CODEBUDDY.md",
    "CRUSH.md",
    "GEMINI.md",
    "GROK.md",
    "IFLOW.md",
    "QWEN.md",
    "SKILL.md",
    "WARP.md",
    "codebuff.json",
    "crush.json",
    "gptme.toml",
    "hooks.json",
    "opencode.json",
    "opencode.jsonc",
    "openoxide.lock",
    "replit.md",
    "skills",
    // Editors, debuggers and interactive interpreters.
    ".Rprofile",
    ".codesandbox",
    ".devcontainer",
    ".devcontainer.json",
    ".dir-locals-2.el",
    ".dir-locals.el",
    ".exrc",
    ".fleet",
    ".gdbearlyinit",
    ".gdbinit",
    ".ghci",
    ".gitpod.yml",
    ".helix",
    ".idea",
    ".iex.exs",
    ".irbrc",
    ".lapce",
    ".lazy.lua",
    ".lldbinit",
    ".lvimrc",
    ".neoconf.json",
    ".nova",
    ".nvim.lua",
    ".nvimrc",
    ".octaverc",
    ".pdbrc",
    ".run",
    ".stackblitzrc",
    ".theia",
    ".vim",
    ".vimrc",
    ".vimrc.local",
    ".vs",
    ".vscode",
    ".zed",
    // Version control, its hooks, and what runs after a push.
    ".appveyor.yml",
    ".buildkite",
    ".builds",
    ".bzr",
    ".circleci",
    ".cirrus.star",
    ".cirrus.yml",
    ".drone.jsonnet",
    ".drone.star",
    ".drone.yml",
    ".forgejo",
    ".fslckout",
    ".git",
    ".gitconfig",
    ".gitea",
    ".githooks",
    ".github",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".hg",
    ".husky",
    ".huskyrc",
    ".huskyrc.js",
    ".huskyrc.json",
    ".jj",
    ".lefthook",
    ".lefthook-local.json",
    ".lefthook-local.toml",
    ".lefthook-local.yaml",
    ".lefthook-local.yml",
    ".lefthook.json",
    ".lefthook.toml",
    ".lefthook.yaml",
    ".lefthook.yml",
    ".overcommit.yml",
    ".pijul",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    ".semaphore",
    ".simple-git-hooks.cjs",
    ".simple-git-hooks.js",
    ".simple-git-hooks.json",
    ".sl",
    ".svn",
    ".tekton",
    ".travis.yml",
    ".woodpecker",
    ".woodpecker.yaml",
    ".woodpecker.yml",
    "CVS",
    "Jenkinsfile",
    "_darcs",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "buildspec.yml",
    "captainhook.json",
    "cloudbuild.yaml",
    "cloudbuild.yml",
    "hk.pkl",
    "lefthook-local.json",
    "lefthook-local.toml",
    "lefthook-local.yaml",
    "lefthook-local.yml",
    "lefthook.json",
    "lefthook.toml",
    "lefthook.yaml",
    "lefthook.yml",
    "prek.toml",
    "simple-git-hooks.cjs",
    "simple-git-hooks.js",
    "simple-git-hooks.json",
    // Shells, and programs that they start with.
    ".autoenv.zsh",
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".config",
    ".envrc",
    ".inputrc",
    ".local",
    ".mise",
    ".mise.local.toml",
    ".mise.toml",
    ".profile",
    ".rtx.toml",
    ".rvmrc",
    ".shadowenv.d",
    ".ssh",
    ".tmux.conf",
    ".zlogin",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "mise.dev.toml",
    "mise.local.toml",
    "mise.toml",
    // Package managers and build tools that run what these files name.
    ".bazelrc",
    ".cargo",
    ".mvn",
    ".npmrc",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    ".yarnrc",
    ".yarnrc.yml",
    "bunfig.toml",
];

/// The only sealed name that is also an ordinary name of a project.
const ORDINARY: &str = "skills";

/// The ending of a file that an editor opens as a project, with tasks to run.
const WORKSPACE: &str = ".code-workspace";

/// Returns the sealed part of a path: the first folder of it that other programs obey.
///
/// Names above the project say nothing about it, because a project may lie anywhere: in `.claude/worktrees`, say.
pub(super) fn sealed_part(path: &Path, project: Option<&Path>, more: &[String]) -> Option<PathBuf> {
    let project = project.filter(|project| path.starts_with(project));
    let is_inside = |part: &Path| project.is_none_or(|project| part.starts_with(project));
    let parts: Vec<&Path> = path.ancestors().filter(|part| is_inside(part)).collect();
    parts.into_iter().rev().find(|part| is_sealed(part, project, more)).map(Path::to_owned)
}

/// Tells whether the last part of a path is sealed, by its name or by what it is.
pub(super) fn is_sealed(part: &Path, project: Option<&Path>, more: &[String]) -> bool {
    has_sealed_name(part, project, more) || is_repository(part)
}

pub(super) fn has_sealed_name(part: &Path, project: Option<&Path>, more: &[String]) -> bool {
    let Some(name) = part.file_name().and_then(|name| name.to_str()) else { return false };
    if name.eq_ignore_ascii_case(ORDINARY) {
        // A folder `skills` somewhere else is anything; the one in a project or a hidden folder is what hosts search.
        return part.parent().is_some_and(|above| project == Some(above) || is_hidden(above));
    }
    let is_named = SEALED_NAMES
        .iter()
        .copied()
        .chain(more.iter().map(String::as_str))
        .any(|sealed| sealed.eq_ignore_ascii_case(name));
    is_named || name.to_ascii_lowercase().ends_with(WORKSPACE)
}

fn is_hidden(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The file that every repository of Git has.
pub(crate) const REPOSITORY_HEAD: &str = "HEAD";
/// What a repository has beside it, whatever it is called: all that it needs, or where the rest of that is.
pub(crate) const REPOSITORY_PARTS: [&str; 3] = ["objects", "refs", "commondir"];

fn is_repository(folder: &Path) -> bool {
    let has = |name: &&str| folder.join(name).exists();
    has(&REPOSITORY_HEAD) && REPOSITORY_PARTS.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_sealed_by_any_folder_of_it() {
        for (path, project, sealed) in [
            ("/p/.git/hooks", Some("/p"), Some("/p/.git")),
            ("/p/sub/.GIT", Some("/p"), Some("/p/sub/.GIT")),
            ("/p/src/claude.md", Some("/p"), Some("/p/src/claude.md")),
            ("/p/a/b.Code-Workspace", Some("/p"), Some("/p/a/b.Code-Workspace")),
            ("/p/a/.mine/x", Some("/p"), Some("/p/a/.mine")),
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
            let found = sealed_part(Path::new(path), project.map(Path::new), &[".mine".to_owned()]);
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
        let found = sealed_part(&root.path().join("bare/hooks"), Some(root.path()), &[]);
        assert_eq!(found, Some(root.path().join("bare")));
    }
}
