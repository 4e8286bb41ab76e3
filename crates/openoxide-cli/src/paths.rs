//! Paths as people read them: from where they stand, or from home.

use std::path::Path;

use openoxide_config::Workspace;
use openoxide_skills::path_text;

use crate::ui::safe;

/// Writes the user's home in a text as `~`.
pub(crate) fn homely(workspace: &Workspace, text: &str) -> String {
    let home = workspace.environment.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    home.filter(|home| home.len() > 1).map_or_else(|| text.to_owned(), |home| with_tilde(text, &format!("{home}/")))
}

/// Replaces `home` where a path begins, not inside of a longer one.
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

/// Shortens a path: below the folder to act in, below home, or whole.
pub(crate) fn short(workspace: &Workspace, path: &Path) -> String {
    let environment = &workspace.environment;
    if let Ok(rest) = path.strip_prefix(&environment.cwd) {
        let text = safe(&path_text(rest));
        return if text.is_empty() { ".".to_owned() } else { text };
    }
    if let Ok(rest) = path.strip_prefix(&workspace.project) {
        let ups = environment.cwd.strip_prefix(&workspace.project).map_or(0, |rel| rel.components().count());
        return format!("{}{}", "../".repeat(ups), safe(&path_text(rest)));
    }
    match environment.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => format!("~/{}", safe(&path_text(rest))),
        None => safe(&path_text(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::with_tilde;

    #[test]
    fn home_is_a_tilde_only_where_a_path_begins() {
        let check = |text: &str, expected: &str| assert_eq!(with_tilde(text, "/home/me/"), expected);
        check("`/home/me/a` and /home/me/b", "`~/a` and ~/b");
        check("/mnt/home/me/a", "/mnt/home/me/a");
        check("/home/me/x/home/me/a", "~/x/home/me/a");
        check("/home/mean", "/home/mean");
    }
}
