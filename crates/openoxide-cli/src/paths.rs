//! Paths as people read them: from where they stand, or from home.

use std::path::Path;

use openoxide_config::Workspace;
use openoxide_skills::path_text;

use crate::ui::safe;

/// Writes the user's home in a text as `~`.
pub(crate) fn homely(workspace: &Workspace, text: &str) -> String {
    let home = workspace.environment.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    home.filter(|home| home.len() > 1).map_or_else(|| text.to_owned(), |home| text.replace(&format!("{home}/"), "~/"))
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
