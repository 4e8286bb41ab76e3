//! Reads and writes text for several steps: YAML, Markdown, templates, glob patterns, shell words, small rules.

use std::borrow::Cow;

mod blanked;
pub(crate) mod glob;
mod hidden;
mod lookalike;
pub(crate) mod markdown;
pub(crate) mod shell;
pub(crate) mod template;
mod terminal;
mod unseen;
pub(crate) mod yaml;
pub(crate) mod yaml_value;

pub(crate) use blanked::{blanked_line, is_line_name};
pub use hidden::{HiddenRun, HiddenRuns, hidden_runs, visible, visible_line};
pub(crate) use lookalike::oddity;
pub use lookalike::outline;
pub use template::RenderError;
pub use terminal::{TerminalText, deceptive_characters, is_deceptive, path_text};
pub(crate) use terminal::{one_line, plain_line};
pub use unseen::HiddenKind;
pub use yaml_value::{YamlFile, read_yaml};

/// Fills the `{name}` placeholders of a short text, in one pass, so that a value is never read for another placeholder.
pub fn fill(text: &str, fills: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let hit = fills.iter().find(|(name, _)| rest[1..].strip_prefix(name).is_some_and(|end| end.starts_with('}')));
        let taken = hit.map_or(1, |(name, _)| name.len() + 2);
        filled.push_str(hit.map_or("{", |(_, value)| value));
        rest = &rest[taken..];
    }
    filled.push_str(rest);
    filled
}

/// Estimates how many tokens a text of `bytes` bytes is.
pub fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

pub(crate) fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Returns the first `units` UTF-16 units; half a pair becomes a replacement character, as programs send it.
pub(crate) fn cut_utf16(text: &str, units: usize) -> String {
    String::from_utf16_lossy(&text.encode_utf16().take(units).collect::<Vec<_>>())
}

/// Tells whether a character is ignored at the ends of a text: a blank, or a stray byte-order mark.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

/// Tells whether a text is printable ASCII on one line, as nearly every name and description is. Functions that look at each
/// character use it to skip such a text.
pub(crate) fn is_plain_line(text: &str) -> bool {
    // No early exit inside a block, so that the compiler can vectorize the loop.
    let is_plain = |block: &[u8]| block.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'));
    text.as_bytes().chunks(64).all(is_plain)
}

/// Returns `text` with every run of white space made one space, none at the ends.
pub(crate) fn collapse(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    if is_plain_line(trimmed) && !trimmed.as_bytes().windows(2).any(|pair| pair == b"  ") {
        return Cow::Borrowed(trimmed);
    }
    let mut previous_space = false;
    let clean = trimmed.chars().all(|character| {
        let ok = !character.is_whitespace() || (character == ' ' && !previous_space);
        previous_space = character == ' ';
        ok
    });
    if clean { Cow::Borrowed(trimmed) } else { Cow::Owned(trimmed.split_whitespace().collect::<Vec<_>>().join(" ")) }
}

/// Returns the words nearest to `word`, best first: at most three, and none that is far away.
pub fn near<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let mut scored: Vec<(usize, &str)> = choices
        .into_iter()
        .map(|choice| (distance(word, choice), choice))
        .filter(|(score, _)| *score <= limit)
        .collect();
    scored.sort_unstable();
    scored.into_iter().map(|(_, choice)| choice).take(3).collect()
}

/// Counts insertions, deletions, replacements and swaps of neighbors between two words, in any case of letters.
fn distance(left: &str, right: &str) -> usize {
    let start = |word: &str| word.to_lowercase().chars().take(64).collect::<String>();
    strsim::osa_distance(&start(left), &start(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses() {
        assert_eq!(collapse("  a \n b\u{a0}c "), "a b c");
        assert!(matches!(collapse(" a b "), Cow::Borrowed("a b")));
    }

    #[test]
    fn near_names_are_found() {
        assert_eq!(near("relase-notes", ["deploy", "release-notes"]), ["release-notes"]);
        assert_eq!(near("dpeloy", ["deploy"]), ["deploy"]);
        assert!(near("xyz", ["deploy"]).is_empty());
    }
}
