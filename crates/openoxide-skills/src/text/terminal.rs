//! Makes text from skills safe to show: on a terminal, on one line, or as a path.

use std::fmt::{self, Write as _};
use std::path::Path;

use super::collapse;

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

/// Tells whether a character can move the cursor, reorder text or hide.
pub fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
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
        assert_eq!(TerminalText("naïve 日本 🦀").to_string(), "naïve 日本 🦀");
    }
}
