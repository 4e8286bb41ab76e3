//! The files around a skill: a repository, or the folder that was given. They may refer to what a fix would rename.

use std::path::{Path, PathBuf};

use super::plan::Rename;

/// The most files and folders that are looked at. Where there are more, nothing is renamed.
const ENTRIES_MAX: usize = 50_000;
/// The longest file that is looked into.
const FILE_MAX: u64 = 4 * 1024 * 1024;
/// Folders of others' files.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// The files below a folder.
#[derive(Debug, Default)]
pub(super) struct Collection {
    files: Vec<PathBuf>,
    /// Symbolic links.
    pub(super) links: Vec<PathBuf>,
    /// Whether every file was seen.
    pub(super) is_whole: bool,
}

/// A place that refers to something by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) file: PathBuf,
    /// Counted from 1.
    pub(super) line: usize,
}

impl Collection {
    /// Lists the files below a folder, through no link, in order.
    pub(super) fn read(root: &Path) -> Collection {
        let mut collection = Collection { is_whole: true, ..Collection::default() };
        let (mut ahead, mut seen) = (vec![root.to_owned()], 0);
        while let Some(folder) = ahead.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                seen += 1;
                let Ok(kind) = entry.file_type() else { continue };
                match entry.path() {
                    path if kind.is_symlink() => collection.links.push(path),
                    path if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) => ahead.push(path),
                    path if kind.is_file() => collection.files.push(path),
                    _ => {}
                }
            }
            if seen > ENTRIES_MAX {
                collection.is_whole = false;
                break;
            }
        }
        collection.files.sort();
        collection.links.sort();
        collection
    }

    /// Returns the first place that refers to each thing by its present name.
    pub(super) fn references(&self, renames: &[&Rename]) -> Vec<Option<Reference>> {
        let mut found = vec![None; renames.len()];
        for file in &self.files {
            if found.iter().all(Option::is_some) {
                break;
            }
            let Some(text) = read_text(file) else { continue };
            for (found, rename) in found.iter_mut().zip(renames).filter(|(found, _)| found.is_none()) {
                *found = reference(file, &text, rename);
            }
        }
        found
    }
}

fn read_text(file: &Path) -> Option<String> {
    let is_short = std::fs::metadata(file).is_ok_and(|stat| stat.len() <= FILE_MAX);
    let bytes = is_short.then(|| fs_err::read(file).ok()).flatten()?;
    if bytes.contains(&0) { None } else { Some(String::from_utf8_lossy(&bytes).into_owned()) }
}

fn reference(file: &Path, text: &str, rename: &Rename) -> Option<Reference> {
    let name = rename.from.file_name()?.to_string_lossy().into_owned();
    let is_folder = rename.from.is_dir();
    // A skill speaks of its own folder by a path; elsewhere its name alone may be what a list has.
    let is_own = file.starts_with(if is_folder { rename.from.as_path() } else { rename.from.parent()? });
    let escaped = name.replace(' ', "%20");
    let names = if escaped == name { vec![name] } else { vec![name, escaped] };
    let (line, _) = text.lines().enumerate().find(|(_, line)| {
        names.iter().any(|name| match is_folder {
            true => names_folder(line, name, is_own),
            false if is_own => occurrences(line, name).next().is_some(),
            false => occurrences(line, name).any(|(before, _)| before.ends_with('/')),
        })
    })?;
    Some(Reference { file: file.to_owned(), line: line + 1 })
}

/// Tells whether a line names a folder: as a part of a path, or by itself as a value.
fn names_folder(line: &str, name: &str, only_paths: bool) -> bool {
    const ENDS: &[char] = &['"', '\'', '`', '(', ')', '[', ']', '<', '>', ',', '{', '}'];
    occurrences(line, name).any(|(before, after)| {
        let is_part = before.ends_with(['/', '\\']) || after.starts_with(['/', '\\']);
        let is_enclosed = before.ends_with(ENDS) && after.starts_with(ENDS);
        let is_value = after.trim().is_empty() && before.trim_end().ends_with(['-', '*', ':', '=']);
        is_part || (!only_paths && (is_enclosed || is_value))
    })
}

/// Returns what stands before and after a name, wherever it is a whole word.
fn occurrences<'l>(line: &'l str, name: &'l str) -> impl Iterator<Item = (&'l str, &'l str)> {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    let around = line.match_indices(name).map(|(at, _)| (&line[..at], &line[at + name.len()..]));
    around.filter(move |(before, after)| !before.ends_with(is_word) && !after.starts_with(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_by_a_path_or_as_a_value() {
        let check = |line: &str, expected: (bool, bool)| {
            let found = (names_folder(line, "pdf_forms", false), names_folder(line, "pdf_forms", true));
            assert_eq!(found, expected, "{line}");
        };
        check("see [forms](../pdf_forms/SKILL.md)", (true, true));
        check("./skills/pdf_forms", (true, true));
        check("  - pdf_forms", (true, false));
        check("\"skills\": [\"pdf_forms\"]", (true, false));
        check("the skill `pdf_forms` fills forms", (true, false));
        check("skill = pdf_forms  ", (true, false));
        check("use pdf_forms for this", (false, false));
        check("../my_pdf_forms/SKILL.md ../pdf_forms-2/x", (false, false));
    }
}
