//! Makes, compares and removes links and copies of a skill's folder.

use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;

use crate::error::Told;
use crate::ui::safe;

/// Most files of a folder that is copied or compared.
const FILES_MAX: usize = 10_000;

/// What stands where a link would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing.
    Absent,
    /// A link to the skill, or a copy that is still the same.
    Ours,
    /// Something else.
    Foreign,
}

/// Says what stands at `place`, compared with the skill's folder.
pub(super) fn kind(place: &Path, source: &Path) -> Kind {
    let Ok(stat) = place.symlink_metadata() else { return Kind::Absent };
    let ours = match stat.is_symlink() {
        true => std::fs::canonicalize(place).is_ok_and(|target| target == source),
        false => stat.is_dir() && same_tree(place, source),
    };
    if ours { Kind::Ours } else { Kind::Foreign }
}

/// Refuses to put anything where something else is.
pub(super) fn refuse_taken(place: &Path, source: &Path) -> anyhow::Result<()> {
    match kind(place, source) {
        Kind::Foreign => {
            let message = format!("`{}` is there already", safe(&place.to_string_lossy()));
            Err(Told::failed(message).hint("rename one of the two, or remove what is there").into())
        }
        Kind::Ours | Kind::Absent => Ok(()),
    }
}

/// Puts the skill's folder at `place`: nothing to do if it is there.
pub(super) fn put(place: &Path, source: &Path, copies: bool) -> anyhow::Result<()> {
    refuse_taken(place, source)?;
    if kind(place, source) == Kind::Ours {
        return Ok(());
    }
    let parent = place.parent().unwrap_or(Path::new("/"));
    fs_err::create_dir_all(parent)?;
    if !copies {
        // The folder may itself be reached through a link, from which a relative one would lead elsewhere.
        let real = fs_err::canonicalize(parent)?;
        match symlink(relative(&real, source), place) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return refuse_taken(place, source),
            Err(error) if links_are_unknown(&error) => {}
            Err(error) => return Err(error).with_context(|| format!("`{}` cannot be made", place.display())),
        }
    }
    copy(place, source)
}

/// Tells whether the disk has no links, rather than that this one may not be made.
fn links_are_unknown(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::Unsupported | std::io::ErrorKind::PermissionDenied)
}

/// Copies to a folder beside the place first, so that no half of a skill is ever seen.
fn copy(place: &Path, source: &Path) -> anyhow::Result<()> {
    let parent = place.parent().unwrap_or(Path::new("/"));
    let staged = tempfile::Builder::new().prefix(".openoxide-").tempdir_in(parent)?;
    let inner = staged.path().join("skill");
    fs_err::create_dir(&inner)?;
    for file in tree(source)? {
        let target = inner.join(&file);
        fs_err::create_dir_all(target.parent().unwrap_or(&inner))?;
        fs_err::copy(source.join(&file), &target)?;
    }
    if place.symlink_metadata().is_ok() {
        return refuse_taken(place, source);
    }
    Ok(fs_err::rename(inner, place)?)
}

/// Lists the regular files of a folder, relative to it, sorted; links in it are an error.
fn tree(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(dir) = open.pop() {
        for entry in fs_err::read_dir(folder.join(&dir))? {
            let entry = entry?;
            let path = dir.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && files.len() < FILES_MAX {
                files.push(path);
            } else {
                let message = format!("`{}` cannot be copied", safe(&folder.join(&path).to_string_lossy()));
                let hint = format!("a copy holds at most {FILES_MAX} regular files, and no links");
                return Err(Told::failed(message).hint(hint).into());
            }
        }
    }
    files.sort();
    Ok(files)
}

fn same_tree(left: &Path, right: &Path) -> bool {
    let (Ok(ours), Ok(theirs)) = (tree(left), tree(right)) else { return false };
    let read = |folder: &Path, file: &PathBuf| fs_err::read(folder.join(file)).ok();
    let same = |file: &PathBuf| read(left, file).is_some_and(|bytes| read(right, file) == Some(bytes));
    ours == theirs && ours.iter().all(same)
}

/// Removes a link, or a copy that was compared before.
pub(super) fn remove(place: &Path) -> anyhow::Result<()> {
    match place.is_symlink() {
        true => fs_err::remove_file(place)?,
        false => fs_err::remove_dir_all(place)?,
    }
    // Folders that hold nothing now were made for it.
    if let Some(parent) = place.parent() {
        let _ = std::fs::remove_dir(parent);
    }
    Ok(())
}

/// Returns the way from a folder to a path; both are whole and without links.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(left, right)| left == right).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_link_leads_up_and_down() {
        let check = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).to_string_lossy().into_owned();
        assert_eq!(check("/p/.claude/skills", "/p/.agents/skills/a"), "../../.agents/skills/a");
        assert_eq!(check("/p", "/p/a"), "a");
        assert_eq!(check("/home/me/.codex/skills", "/p/a"), "../../../../p/a");
    }
}
