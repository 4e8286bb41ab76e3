//! The files around a skill: a repository, or the folder that was given. They may refer to what a fix would rename.

use std::io::Read as _;
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
    /// Whether every file was seen and could be read.
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
            let Ok(entries) = std::fs::read_dir(&folder) else {
                collection.is_whole = false;
                continue;
            };
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

    /// Returns the first place that refers to each thing by its present name. A file that cannot be read may be one.
    pub(super) fn references(&mut self, renames: &[&Rename]) -> Vec<Option<Reference>> {
        let wanted: Vec<Option<Wanted<'_>>> = renames.iter().map(|rename| Wanted::new(rename)).collect();
        let mut found = vec![None; renames.len()];
        for file in &self.files {
            if found.iter().all(Option::is_some) {
                break;
            }
            match read_text(file) {
                Text::Read(text) => {
                    let text = spelled_out(text);
                    let missing = found.iter_mut().zip(&wanted).filter(|(found, _)| found.is_none());
                    missing
                        .for_each(|(found, wanted)| *found = wanted.as_ref().and_then(|one| one.named_in(file, &text)));
                }
                Text::Unreadable => self.is_whole = false,
                Text::Binary => {}
            }
        }
        found
    }
}

/// What a file holds that may refer to something.
enum Text {
    Read(String),
    /// It is no text.
    Binary,
    /// Nobody can tell.
    Unreadable,
}

/// Replaces what stands for another character in links: `%5F`, `&#95;`, and a backslash before a sign. Lines stay where they
/// are.
fn spelled_out(text: String) -> String {
    if !text.contains(['%', '&', '\\']) {
        return text;
    }
    let lines = text.split('\n').map(|line| {
        let mut spelled = line.to_owned();
        for mark in ["%", "&#"] {
            spelled = decoded(&spelled, mark);
        }
        spelled = spelled.replace(['\n', '\r'], " ");
        // Beside the line itself: a backslash may be the separator of a path.
        let bare = spelled.replace('\\', "");
        if spelled == line && bare == line { line.to_owned() } else { format!("{line} {spelled} {bare}") }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Replaces the numbers behind a mark by the characters that they stand for: `%` and two digits of base 16 for each byte, or
/// `&#` and a number that ends with `;`.
fn decoded(line: &str, mark: &str) -> String {
    if mark == "%" {
        return percent_encoding::percent_decode_str(line).decode_utf8_lossy().into_owned();
    }
    let mut parts = line.split(mark);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let character = part.split_once(';').and_then(|(number, rest)| {
            let number = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            Some((char::from_u32(number.ok()?)?, rest))
        });
        match character {
            Some((character, rest)) => text.extend([character.to_string().as_str(), rest]),
            None => text.extend([mark, part]),
        }
    }
    text
}

fn read_text(file: &Path) -> Text {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut start = Vec::new();
        fs_err::File::open(file)?.take(FILE_MAX + 1).read_to_end(&mut start)?;
        Ok(start)
    };
    match read() {
        // UTF-16 has a mark, and a NUL in every letter of English.
        Ok(bytes) if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") => Text::Unreadable,
        Ok(bytes) if bytes.contains(&0) => Text::Binary,
        Ok(bytes) if bytes.len() as u64 > FILE_MAX => Text::Unreadable,
        Ok(bytes) => Text::Read(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => Text::Unreadable,
    }
}

/// Something that is to be renamed, and what a reference to it would say.
struct Wanted<'w> {
    rename: &'w Rename,
    is_folder: bool,
    names: Vec<String>,
}

impl<'w> Wanted<'w> {
    fn new(rename: &'w Rename) -> Option<Wanted<'w>> {
        let name = rename.from.file_name()?.to_string_lossy().into_owned();
        let escaped = name.replace(' ', "%20");
        let names = if escaped == name { vec![name] } else { vec![name, escaped] };
        Some(Wanted { rename, is_folder: rename.from.is_dir(), names })
    }

    /// Returns the first line of a file that names it.
    fn named_in(&self, file: &Path, text: &str) -> Option<Reference> {
        if !self.names.iter().any(|name| text.contains(name)) {
            return None;
        }
        let from = &self.rename.from;
        // A skill speaks of its own folder by a path; elsewhere its name alone may be what a list has.
        let is_own = file.starts_with(if self.is_folder { from.as_path() } else { from.parent()? });
        let (line, _) = text.lines().enumerate().find(|(_, line)| {
            self.names.iter().any(|name| match self.is_folder {
                true => names_folder(line, name, is_own),
                false if is_own => occurrences(line, name).next().is_some(),
                false => occurrences(line, name).any(|(before, _)| before.ends_with('/')),
            })
        })?;
        Some(Reference { file: file.to_owned(), line: line + 1 })
    }
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
    fn what_links_spell_otherwise_is_found() {
        let named = |text: &str, name: &str| names_folder(&spelled_out(text.to_owned()), name, true);
        assert!(named("[x](skills/pdf%5Ftools/ref.md)", "pdf_tools"));
        assert!(named("[x](./skills/%70df_tools/ref.md)", "pdf_tools"));
        assert!(named("[x](skills/Caf%C3%A9/ref.md)", "Café"));
        assert!(named(r"[x](skills/pdf\_tools/ref.md)", "pdf_tools"));
        assert!(named("[x](skills/pdf&#95;tools/ref.md) &amp; &#x; &#", "pdf_tools"));
        assert!(named(r"skills\pdf_tools\ref.md", "pdf_tools"));
        assert!(!named("100 % of pdf%5Ftool/", "pdf_tools"));
        assert_eq!(spelled_out("a\n%41%0A&#10;\nb".to_owned()).lines().count(), 3);
    }

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
