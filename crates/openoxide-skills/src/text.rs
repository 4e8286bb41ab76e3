//! Small rules on text that several steps share.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use crate::host::LengthUnit;

pub(crate) mod shell;

/// Text from a skill, made safe to print on a terminal.
///
/// Control characters, bidirectional controls, invisible characters and tag characters are shown as escapes, so that
/// a skill can neither move the cursor nor hide what it says. Line ends become spaces.
pub struct TerminalText<'a>(pub &'a str);

impl fmt::Display for TerminalText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '\n' | '\r' | '\t' => f.write_str(" ")?,
                _ if is_deceptive(character) => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                _ => write!(f, "{character}")?,
            }
        }
        Ok(())
    }
}

/// Shows control characters as escapes, so that a folder's name cannot make lines of its own.
pub(crate) fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    shown
}

/// Tells whether a character counts as nothing at the ends of a text: a blank, or a stray byte-order mark.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

/// Tells whether a character can move the cursor, reorder text or hide.
pub fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns `text` with every run of white space made one space, none at the ends.
pub(crate) fn collapse(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    // Nearly every text is one line of ASCII without double blanks.
    let plain = |pair: &[u8]| pair[0].is_ascii_graphic() || (pair[0] == b' ' && pair[1] != b' ');
    if trimmed.as_bytes().windows(2).all(plain) && trimmed.is_ascii() {
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

/// Returns `text` on one line, without characters that could make it more than text: controls, brackets, fences.
pub(crate) fn plain_line(text: &str) -> String {
    let shown = text.chars().map(|character| if is_deceptive(character) { ' ' } else { character });
    let mut plain: String = shown.filter(|character| !matches!(character, '<' | '>' | '`')).collect();
    while plain.contains("~~") {
        plain = plain.replace("~~", "~");
    }
    collapse(&plain).into_owned()
}

/// Puts values into a text, in one pass, so that a value is never read for another placeholder.
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

/// Writes a path as text; bytes that are not UTF-8 become `\xNN`, so that two paths never look the same.
pub fn path_text(path: &std::path::Path) -> String {
    if let Some(text) = path.to_str() {
        return text.to_owned();
    }
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Estimates how many tokens a text of `bytes` bytes is.
pub fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

/// Returns the words nearest to `word`, best first: at most three, and none that is far away.
pub fn near<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let mut scored: Vec<(usize, &str)> = choices
        .into_iter()
        .map(|choice| (distance(&word.to_lowercase(), &choice.to_lowercase()), choice))
        .filter(|(score, _)| *score <= limit)
        .collect();
    scored.sort_unstable();
    scored.into_iter().map(|(_, choice)| choice).take(3).collect()
}

/// Counts insertions, deletions, replacements and swaps of neighbors between two words.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().take(64).collect(), right.chars().take(64).collect());
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[left.len()][right.len()]
}

/// Returns the length of a text in the host's unit.
pub(crate) fn length(text: &str, unit: LengthUnit) -> usize {
    match unit {
        LengthUnit::Characters => text.chars().count(),
        LengthUnit::Utf16 => utf16_len(text),
        LengthUnit::Bytes => text.len(),
    }
}

/// Returns the length of a text in UTF-16 units.
pub(crate) fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Returns the first `units` UTF-16 units; half a pair becomes a replacement character, as programs send it.
pub(crate) fn cut_utf16(text: &str, units: usize) -> String {
    String::from_utf16_lossy(&text.encode_utf16().take(units).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_shown_not_obeyed() {
        assert_eq!(TerminalText("a\u{1b}[8mb\u{202e}c\u{e0041}\nd").to_string(), "a\\u{1b}[8mb\\u{202e}c\\u{e0041} d");
        assert_eq!(TerminalText("naïve 日本 🦀").to_string(), "naïve 日本 🦀");
    }

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
