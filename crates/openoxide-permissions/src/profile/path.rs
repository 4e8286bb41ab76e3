//! Makes a path of a profile whole, by its text alone.

use std::path::{Component, Path, PathBuf};

use super::Base;

/// Longest path, in bytes.
const MAX: usize = 4096;

/// Makes a path whole: relative to the skill's folder, `~` as the home, `.` and `..` gone; or says why it is none.
pub(super) fn whole(text: &str, base: Base<'_>) -> Result<PathBuf, &'static str> {
    if text.is_empty() || text.len() > MAX || text.chars().any(char::is_control) {
        return Err("not a usable path");
    }
    if text.contains(['*', '?', '[', '{']) {
        return Err("a pattern is not a path");
    }
    let rest = text.strip_prefix('~').or_else(|| text.strip_prefix("$HOME"));
    let path = match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => base.home.ok_or("there is no home folder")?.join(rest.trim_start_matches('/')),
        None if text.starts_with('~') => return Err("another user's home is not known"),
        None if text.contains('$') => return Err("variables are not expanded"),
        None => base.skill.join(text),
    };
    Ok(collapsed(&path))
}

/// Takes `.` and `..` out of a path; nothing is above `/`.
fn collapsed(path: &Path) -> PathBuf {
    let mut whole = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::Normal(name) => whole.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    whole
}
