//! Paths as people read them: relative to the folder to act in, or to home.

use std::path::{Component, Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::text::{TerminalText, path_text};

/// Returns a text with the user's home folder written as `~`.
pub fn abbreviate_home(workspace: &Workspace, text: &str) -> String {
    let home = workspace.environment.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    home.filter(|home| home.len() > 1).map_or_else(|| text.to_owned(), |home| with_tilde(text, &format!("{home}/")))
}

/// Returns a whole path with the user's home folder written as `~`. The text is safe to print.
pub fn from_home(workspace: &Workspace, path: &Path) -> String {
    safe(&abbreviate_home(workspace, &path_text(path)))
}

/// Returns a whole path. The text is safe to print.
pub(crate) fn shown(path: &Path) -> String {
    safe(&path_text(path))
}

/// Replaces `home` where a path begins, but not inside a longer path.
fn with_tilde(text: &str, home: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(home) {
        result.push_str(before);
        let inside = result.ends_with(|last: char| last.is_alphanumeric() || "/._-~".contains(last));
        result.push_str(if inside { home } else { "~/" });
        rest = after;
    }
    result + rest
}

/// Returns a path as short as it can be: relative to the folder to act in, to the project, to home, or whole. The text is
/// safe to print.
pub fn short(workspace: &Workspace, path: &Path) -> String {
    let environment = &workspace.environment;
    let in_home = environment.home.as_ref().and_then(|home| Some((home, path.strip_prefix(home).ok()?)));
    // Above the home, `~` is shorter than the way there.
    if let Some((_, rest)) = in_home.filter(|(home, _)| **home != environment.cwd && home.starts_with(&environment.cwd))
    {
        return format!("~/{}", safe(&path_text(rest)));
    }
    if let Ok(rest) = path.strip_prefix(&environment.cwd) {
        let text = safe(&path_text(rest));
        return if text.is_empty() { ".".to_owned() } else { text };
    }
    if let Ok(rest) = path.strip_prefix(&workspace.project) {
        let ups = environment.cwd.strip_prefix(&workspace.project).map_or(0, |rel| rel.components().count());
        return format!("{}{}", "../".repeat(ups), safe(&path_text(rest)));
    }
    match in_home {
        Some((_, rest)) => format!("~/{}", safe(&path_text(rest))),
        None => shown(path),
    }
}

/// Returns whether a path can be printed as it is, so that a person can type it.
pub(crate) fn is_printable(path: &Path) -> bool {
    path.to_str().is_some_and(is_printable_text)
}

pub(crate) fn is_printable_text(text: &str) -> bool {
    safe(text) == text
}

/// Returns the relative path from a folder to a path; both are whole and without links.
pub fn relative(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(left, right)| left == right).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

/// Returns a path without links, or as it is where it cannot be resolved.
pub(crate) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn safe(text: &str) -> String {
    TerminalText(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_leads_up_and_down() {
        let check = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).to_string_lossy().into_owned();
        assert_eq!(check("/p/.claude/skills", "/p/.agents/skills/a"), "../../.agents/skills/a");
        assert_eq!(check("/p", "/p/a"), "a");
        assert_eq!(check("/home/me/.codex/skills", "/p/a"), "../../../../p/a");
    }

    #[test]
    fn home_is_a_tilde_only_where_a_path_begins() {
        let check = |text: &str, expected: &str| assert_eq!(with_tilde(text, "/home/me/"), expected);
        check("`/home/me/a` and /home/me/b", "`~/a` and ~/b");
        check("/mnt/home/me/a", "/mnt/home/me/a");
        check("/home/me/x/home/me/a", "~/x/home/me/a");
        check("/home/mean", "/home/mean");
    }
}
