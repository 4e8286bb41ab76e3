//! Finds what a skill says to a model and not to people: hidden text, and lines that look like other skills.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use super::{contents::Contents, finding::SkillFinding};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::discover::read_plain_prefix;
use crate::text::{HiddenKind, HiddenRun, TerminalText, cut_utf16, hidden_runs};

/// Most files of a skill that are looked at.
const FILES_MAX: usize = 500;
/// Most of a decoded text that is shown.
const DECODED_MAX: usize = 200;

/// Returns the hidden text in a skill's files. Only text is looked at, and of each file the first MiB.
pub(super) fn hidden_in_files(dir: &Path, skill: BorrowedFd<'_>, contents: &Contents) -> Vec<SkillFinding> {
    let read = |path: PathBuf| Some((dir.join(&path), read_plain_prefix(skill, &path)?.bytes));
    let files = contents.files().take(FILES_MAX).filter_map(read);
    files.flat_map(|(path, bytes)| hidden_in(&path, &bytes)).collect()
}

/// Returns the hidden text in the beginning of a file.
pub(super) fn hidden_in(path: &Path, bytes: &[u8]) -> Vec<SkillFinding> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // Where the file was cut, the last character may be too.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return Vec::new(),
    };
    if text.contains('\0') {
        return Vec::new();
    }
    problems(text).into_iter().map(|problem| SkillFinding::new(path, problem)).collect()
}

/// Returns one problem for each way in which text is hidden, at its first place.
fn problems(text: &str) -> Vec<Diagnostic> {
    let mut kinds: BTreeMap<HiddenKind, (HiddenRun, usize)> = BTreeMap::new();
    for run in hidden_runs(text) {
        kinds.entry(run.kind).or_insert_with(|| (run, 0)).1 += 1;
    }
    kinds.into_iter().map(|(kind, (first, count))| problem(text, kind, &first, count)).collect()
}

fn problem(text: &str, kind: HiddenKind, first: &HiddenRun, count: usize) -> Diagnostic {
    let what = match kind {
        HiddenKind::Encoded => "a text is hidden in characters that cannot be seen",
        HiddenKind::Bidirectional => "controls change the order in which text is shown",
        HiddenKind::ZeroWidth => "characters without width are hidden in the text",
        HiddenKind::Control => "control characters are hidden in the text",
    };
    let says = first.decoded(text).map_or_else(String::new, |decoded| {
        format!(", which a model reads: `{}`", TerminalText(&cut_utf16(&decoded, DECODED_MAX)))
    });
    let places = if count > 1 { format!(" ({count} places, this is the first)") } else { String::new() };
    let mut problem = Diagnostic::warning(Code::HiddenText, format!("{what}{says}{places}"));
    if kind == HiddenKind::Encoded {
        problem.level = Level::Error;
    }
    problem.help("remove them: people do not see them, and a model reads them").at(text, first.span.clone())
}

/// Returns a line of a description that looks like another skill where a host lists one skill on each line.
pub fn forged_line(description: &str) -> Option<&str> {
    description.lines().skip(1).map(str::trim).find(|line| {
        let Some(rest) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) else {
            return ["<skill", "</skill", "<available_skills", "</available_skills", "<name>"]
                .iter()
                .any(|tag| line.starts_with(tag));
        };
        let name = rest.split(": ").next().filter(|name| name.len() < rest.len()).unwrap_or_default();
        let is_name = |name: &str| {
            name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-:_".contains(letter))
        };
        !name.is_empty() && is_name(name)
    })
}
