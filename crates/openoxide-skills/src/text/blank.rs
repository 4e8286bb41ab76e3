//! White space: what counts as blank, and how runs of it collapse.

use std::borrow::Cow;

/// Tells whether a character counts as nothing at the ends of a text: a blank, or a stray byte-order mark.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses() {
        assert_eq!(collapse("  a \n b\u{a0}c "), "a b c");
        assert!(matches!(collapse(" a b "), Cow::Borrowed("a b")));
    }
}
