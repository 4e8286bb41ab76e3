//! Makes text from skills safe to show: on a terminal, on one line, or as a path.

use std::fmt::{self, Write as _};
use std::path::Path;

use super::unseen::{Neighbors, is_varied, unseen};
use super::{collapse, is_plain_line};

/// Text from a skill, made safe to print on a terminal.
///
/// Control characters, bidirectional controls, invisible characters and tag characters are shown as escapes, so that
/// a skill can neither move the cursor nor hide what it says. Line ends become spaces.
pub struct TerminalText<'a>(pub &'a str);

impl fmt::Display for TerminalText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain_line(self.0) {
            return f.write_str(self.0);
        }
        for (character, is_deceptive) in judged(self.0) {
            match character {
                '\n' | '\r' | '\t' => f.write_str(" ")?,
                _ if is_deceptive => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                _ => f.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// Shows control characters as escapes, so that a folder's name cannot make lines of its own.
pub(crate) fn one_line(text: &str) -> String {
    if is_plain_line(text) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    shown
}

/// Tells whether a character can move the cursor, reorder text or hide.
pub fn is_deceptive(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') || unseen(character).is_some()
}

/// Returns the characters of a text that can move the cursor, reorder text or hide. A selector after the emoji or the letter
/// that it changes is none of them.
pub fn deceptive_characters(text: &str) -> impl Iterator<Item = char> {
    judged(text).filter_map(|(character, is_deceptive)| is_deceptive.then_some(character))
}

/// Returns each character of a text, and whether it is deceptive where it stands.
fn judged(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = None;
    let mut rest = text.chars().peekable();
    std::iter::from_fn(move || {
        let character = rest.next()?;
        let neighbors = Neighbors { before: before.replace(character), after: rest.peek().copied() };
        Some((character, is_deceptive(character) && !is_varied(character, neighbors)))
    })
}

/// Returns `text` on one line, without characters that could make it more than text: controls, brackets, fences.
pub(crate) fn plain_line(text: &str) -> String {
    let shown = judged(text).map(|(character, is_deceptive)| if is_deceptive { ' ' } else { character });
    let mut plain: String = shown.filter(|character| !matches!(character, '<' | '>' | '`')).collect();
    while plain.contains("~~") {
        plain = plain.replace("~~", "~");
    }
    collapse(&plain).into_owned()
}

/// Writes a path as text; bytes that are not UTF-8 become `\xNN`, so that two paths never look the same.
pub fn path_text(path: &Path) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_shown_not_obeyed() {
        assert_eq!(TerminalText("a\u{1b}[8mb\u{202e}c\u{e0041}\nd").to_string(), "a\\u{1b}[8mb\\u{202e}c\\u{e0041} d");
        assert_eq!(TerminalText("naïve 日本 🦀 ❤️ 1️⃣").to_string(), "naïve 日本 🦀 ❤️ 1️⃣");
    }

    /// What a model gets as an escape, people see as one.
    #[test]
    fn a_terminal_hides_nothing_that_is_escaped_for_a_model() {
        for hidden in ["\u{ad}", "\u{115f}", "\u{2800}", "\u{3164}", "\u{fe06}", "\u{fe0f}", "\u{1d173}", "\u{e0100}"] {
            let text = format!("ig{hidden}nore");
            assert_eq!(TerminalText(&text).to_string(), super::super::visible(&text), "{text:?}");
        }
    }
}
