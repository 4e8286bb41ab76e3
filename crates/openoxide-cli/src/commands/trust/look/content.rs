//! The bytes of a skill: their digest, its own text, and the scripts among them.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use openoxide_skills::path_text;
use sha2::{Digest as _, Sha256};

use crate::error::Told;
use crate::ui::safe;

/// Most files and folders of a skill that can have power.
const MAX_ENTRIES: usize = 10_000;
/// Most bytes of all its files together.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// What a skill is made of.
pub(super) struct Content {
    pub(super) digest: String,
    /// The text of its own file.
    pub(super) manifest: String,
    /// Files that can be run, by path below its folder.
    pub(super) scripts: Vec<String>,
}

/// Reads a skill's folder, or the one file that it is; links are not followed.
pub(super) fn content(file: &Path) -> Result<Content, Told> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let is_folder = file.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("skill"));
    let mut files = if is_folder { files(folder)? } else { vec![file.to_owned()] };
    files.sort();
    let mut content = Content { digest: String::new(), manifest: String::new(), scripts: Vec::new() };
    let (mut hasher, mut left) = (Sha256::new(), MAX_BYTES);
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path);
        let stat = fs_err::symlink_metadata(&path).map_err(|error| unreadable(&error))?;
        left = left.checked_sub(stat.len()).ok_or_else(|| Told::failed("the skill's files are too large"))?;
        let executable = stat.permissions().mode() & 0o111 != 0;
        let bytes = match stat.is_symlink() {
            true => fs_err::read_link(&path).map(|target| target.into_os_string().into_encoded_bytes()),
            false => fs_err::read(&path),
        };
        let bytes = bytes.map_err(|error| unreadable(&error))?;
        let kind: &[u8] = match (stat.is_symlink(), executable) {
            (true, _) => b"l",
            (false, true) => b"x",
            (false, false) => b"f",
        };
        for part in [kind, name.as_os_str().as_encoded_bytes(), &bytes] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        if path == file {
            content.manifest = String::from_utf8_lossy(&bytes).into_owned();
        } else if stat.is_file() && (executable || name.starts_with("scripts")) {
            content.scripts.push(path_text(name));
        }
    }
    content.digest.push_str("sha256:");
    for byte in hasher.finalize() {
        let _ = write!(content.digest, "{byte:02x}");
    }
    Ok(content)
}

fn unreadable(error: &std::io::Error) -> Told {
    Told::failed(format!("the skill's files cannot be read: {}", safe(&error.to_string())))
}

/// Returns the files and links below a folder; a pipe or a device is refused.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Told> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).map_err(|error| unreadable(&error))? {
            let entry = entry.map_err(|error| unreadable(&error))?;
            let kind = entry.file_type().map_err(|error| unreadable(&error))?;
            entries += 1;
            if entries > MAX_ENTRIES {
                return Err(Told::failed(format!("the skill's folder has more than {MAX_ENTRIES} entries")));
            } else if kind.is_dir() {
                folders.extend(Some(entry.path()).filter(|_| entry.file_name() != ".git"));
            } else if kind.is_file() || kind.is_symlink() {
                found.push(entry.path());
            } else {
                return Err(Told::failed(format!("`{}` is not a regular file", safe(&path_text(&entry.path())))));
            }
        }
    }
    Ok(found)
}

/// Returns the commands that stand in a skill's text: `` !`command` `` and blocks that begin with ```` ```! ````.
pub(super) fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```!") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```")).collect();
            commands.push(block.join("\n"));
            continue;
        }
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("!`") {
            let Some((command, after)) = after.split_once('`') else { break };
            commands.push(command.to_owned());
            rest = after;
        }
    }
    commands.retain(|command| !command.trim().is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_whole() {
        let check = |text: &str, expected: &[&str]| assert_eq!(commands(text), expected, "{text}");
        check("a !`git log -1` b !`date`", &["git log -1", "date"]);
        check("```!\none\n  two\n```\n`no`", &["one\n  two"]);
        check("!`open\n```\ntext\n```", &[]);
        check("```!\nnever closed", &["never closed"]);
    }
}
