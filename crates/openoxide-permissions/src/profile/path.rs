//! Turns a path of a profile into an absolute one, by its text alone.

use std::path::{Component, Path, PathBuf};

/// The folders that the paths of a profile are relative to.
#[derive(Clone, Copy, Debug)]
pub struct ProfileBase<'b> {
    /// The skill's folder, absolute.
    pub skill: &'b Path,
    /// The user's home.
    pub home: Option<&'b Path>,
}

/// The longest path, in bytes.
const MAX: usize = 4096;

/// Returns the absolute path: relative to the skill's folder, `~` replaced by the home, without `.` and `..`. The error
/// says why the path cannot be used.
pub(super) fn absolute(text: &str, base: ProfileBase<'_>) -> Result<PathBuf, &'static str> {
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

/// Removes `.` and `..` from a path. Above `/` there is nothing.
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
