//! Recognizes names that people, or other file systems, take for each other.

use unicode_normalization::UnicodeNormalization as _;

use super::{deceptive_characters, is_deceptive};

/// Letters of other alphabets that look like Latin ones, in lower case.
const LOOKALIKES: [(char, char); 27] = [
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('н', 'h'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('т', 't'),
    ('у', 'y'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('α', 'a'),
    ('ο', 'o'),
    ('ν', 'v'),
    ('ρ', 'p'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ı', 'i'),
];

/// Returns what a name looks like: two names with the same outline can be mistaken for each other.
///
/// Case, compatibility forms such as full-width letters, look-alikes of other alphabets, characters that cannot be seen,
/// and dots and spaces at the end make no difference.
pub fn outline(name: &str) -> String {
    let visible = name.chars().filter(|character| !is_deceptive(*character));
    let folded = visible.nfkc().flat_map(char::to_lowercase).nfkc();
    let latin =
        folded.map(|letter| LOOKALIKES.iter().find(|(other, _)| *other == letter).map_or(letter, |pair| pair.1));
    latin.collect::<String>().trim_end_matches(['.', ' ']).to_owned()
}

/// Says what is deceptive about a name by itself.
pub(crate) fn oddity(name: &str) -> Option<&'static str> {
    if name.ends_with(['.', ' ']) && !matches!(name, "." | "..") {
        return Some("ends in a dot or a space, which other systems drop");
    }
    deceptive_characters(name).next().map(|_| "has characters that cannot be seen")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_have_one_outline() {
        for other in ["Docx", "DOCX", "dосх", "ｄｏｃｘ", "docx.", "docx ", "do\u{200b}cx", "docx. ."] {
            assert_eq!(outline(other), "docx", "{other:?}");
        }
        assert_eq!(outline("e\u{301}te\u{301}"), outline("été"));
        assert_ne!(outline("pdf-forms"), outline("pdf_forms"));
        assert_eq!(outline("日本語"), "日本語");
    }

    #[test]
    fn some_names_are_odd_by_themselves() {
        assert!(oddity("dot.").is_some() && oddity("space ").is_some() && oddity("a\u{202e}b").is_some());
        assert!(oddity("SKILL.md").is_none() && oddity(".hidden").is_none() && oddity("été").is_none());
    }
}
