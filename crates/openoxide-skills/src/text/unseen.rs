//! The characters that people cannot see, in one table, and the places where scripts and emoji need them.
//!
//! What is served to a model and what is printed on a terminal are judged by the same table, so that nothing is hidden in
//! one of them that the other shows.

use HiddenKind::{Bidirectional, Encoded, ZeroWidth};

/// How a text is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenKind {
    /// Tag characters and variation selectors: each can stand for a part of a text.
    Encoded,
    /// Controls that change the order in which text is shown.
    Bidirectional,
    /// Characters without width, which split words, and letters that are blank.
    ZeroWidth,
    /// Controls that a terminal obeys.
    Control,
}

/// The first and the last character of each range, in order.
///
/// These are the characters that Unicode lets a font show as nothing (`Default_Ignorable_Code_Point`), the blank pattern of
/// Braille, the marks around interlinear notes, and controls of hieroglyphs and of musical notation.
const UNSEEN: [(char, char, HiddenKind); 26] = [
    ('\u{ad}', '\u{ad}', ZeroWidth),
    ('\u{34f}', '\u{34f}', ZeroWidth),
    ('\u{61c}', '\u{61c}', Bidirectional),
    ('\u{115f}', '\u{1160}', ZeroWidth),
    ('\u{17b4}', '\u{17b5}', ZeroWidth),
    ('\u{180b}', '\u{180d}', Encoded),
    ('\u{180e}', '\u{180e}', ZeroWidth),
    ('\u{180f}', '\u{180f}', Encoded),
    ('\u{200b}', '\u{200d}', ZeroWidth),
    ('\u{200e}', '\u{200f}', Bidirectional),
    ('\u{202a}', '\u{202e}', Bidirectional),
    ('\u{2060}', '\u{2065}', ZeroWidth),
    ('\u{2066}', '\u{2069}', Bidirectional),
    ('\u{206a}', '\u{206f}', ZeroWidth),
    ('\u{2800}', '\u{2800}', ZeroWidth),
    ('\u{3164}', '\u{3164}', ZeroWidth),
    ('\u{fe00}', '\u{fe0f}', Encoded),
    ('\u{feff}', '\u{feff}', ZeroWidth),
    ('\u{ffa0}', '\u{ffa0}', ZeroWidth),
    ('\u{fff0}', '\u{fffb}', ZeroWidth),
    ('\u{13430}', '\u{1343f}', ZeroWidth),
    ('\u{16fe4}', '\u{16fe4}', ZeroWidth),
    ('\u{1bca0}', '\u{1bca3}', ZeroWidth),
    ('\u{1d159}', '\u{1d159}', ZeroWidth),
    ('\u{1d173}', '\u{1d17a}', ZeroWidth),
    ('\u{e0000}', '\u{e0fff}', Encoded),
];

/// Returns how a character that cannot be seen hides, wherever it stands; controls are not looked at.
pub(super) fn unseen(character: char) -> Option<HiddenKind> {
    // Nearly every character of nearly every text is before the first range.
    if character < UNSEEN[0].0 {
        return None;
    }
    let (_, last, kind) = UNSEEN.get(UNSEEN.partition_point(|(first, ..)| *first <= character).checked_sub(1)?)?;
    (character <= *last).then_some(*kind)
}

/// The characters before and after one that cannot be seen.
#[derive(Clone, Copy)]
pub(super) struct Neighbors {
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
}

impl Neighbors {
    fn before(self, fits: fn(char) -> bool) -> bool {
        self.before.is_some_and(fits)
    }

    fn after(self, fits: fn(char) -> bool) -> bool {
        self.after.is_some_and(fits)
    }

    fn one(self, fits: fn(char) -> bool) -> bool {
        self.before(fits) || self.after(fits)
    }
}

/// Tells whether a script or an emoji needs a character that cannot be seen where it stands. Direction marks depend on
/// the whole line, and are not needed here.
pub(super) fn is_needed(character: char, neighbors: Neighbors) -> bool {
    match character {
        // A byte-order mark, at the beginning of a text.
        '\u{feff}' => neighbors.before.is_none(),
        // It keeps the points of a Hebrew letter in their order.
        '\u{34f}' => neighbors.before(is_hebrew_point),
        '\u{115f}' | '\u{1160}' => neighbors.one(is_jamo),
        '\u{200b}' => neighbors.before(has_no_blanks),
        '\u{200c}' => neighbors.before(needs_joiners),
        '\u{200d}' => neighbors.before(needs_joiners) || (neighbors.before(is_joined) && neighbors.after(is_pictured)),
        '\u{2800}' => neighbors.one(is_braille),
        _ => is_varied(character, neighbors),
    }
}

/// Tells whether a character is a variation selector that changes the character before it. After any other character, a
/// selector changes nothing that people see, and can stand for a part of a text.
pub(super) fn is_varied(selector: char, neighbors: Neighbors) -> bool {
    let Some(before) = neighbors.before else { return false };
    match selector {
        '\u{fe00}'..='\u{fe02}' if has_forms(before) => true,
        '\u{fe00}'..='\u{fe06}' => is_hieroglyph(before),
        // As text or as an emoji; a digit only as a key.
        '\u{fe0e}' | '\u{fe0f}' if before.is_ascii() => is_key(before) && neighbors.after == Some('\u{20e3}'),
        '\u{fe0e}' | '\u{fe0f}' => is_pictured(before),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => is_mongolian(before),
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        _ => false,
    }
}

/// Tells whether a character says in which direction the text beside it runs.
pub(super) fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

pub(super) fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
        && !is_direction_mark(character)
}

/// Scripts in which joiners change how letters are written: Arabic and Persian, the Indic ones, and their neighbors.
fn needs_joiners(character: char) -> bool {
    matches!(character, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
        && unseen(character).is_none()
}

/// Scripts that put no blanks between words, so that a place to break a line has to be marked: Thai and its neighbors.
fn has_no_blanks(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        && unseen(character).is_none()
}

/// Emoji, their skin tones, and the symbols that can be shown as emoji.
fn is_pictured(character: char) -> bool {
    matches!(character, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{27ff}'
        | '\u{2900}'..='\u{2bff}' | '\u{3030}'..='\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// What stands before the joiner of an emoji: another one, or the selector that makes it one.
fn is_joined(character: char) -> bool {
    is_pictured(character) || character == '\u{fe0f}'
}

fn is_key(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '#' | '*')
}

/// Characters with standardized variants: zero, mathematical signs, ideographs and their punctuation, and the letters of
/// Myanmar, Phags-pa and Manichaean.
fn has_forms(character: char) -> bool {
    is_ideograph(character)
        || matches!(character, '0' | '\u{2190}'..='\u{23ff}' | '\u{2900}'..='\u{2bff}' | '\u{3001}' | '\u{3002}'
            | '\u{1000}'..='\u{109f}' | '\u{a840}'..='\u{a877}' | '\u{a9e0}'..='\u{a9fe}' | '\u{aa60}'..='\u{aa7f}'
            | '\u{ff01}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{10ac0}'..='\u{10aff}')
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_hieroglyph(character: char) -> bool {
    matches!(character, '\u{13000}'..='\u{143ff}')
}

fn is_mongolian(character: char) -> bool {
    matches!(character, '\u{1807}' | '\u{1820}'..='\u{18af}')
}

fn is_hebrew_point(character: char) -> bool {
    matches!(character, '\u{591}'..='\u{5c7}')
}

/// Letters of Korean syllables that are written in parts, except those that are blank.
fn is_jamo(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7fb}')
        && unseen(character).is_none()
}

fn is_braille(character: char) -> bool {
    matches!(character, '\u{2801}'..='\u{28ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order() {
        assert!(UNSEEN.iter().all(|(first, last, _)| first <= last));
        assert!(UNSEEN.windows(2).all(|pair| pair[0].1 < pair[1].0));
        let named = UNSEEN.iter().flat_map(|(first, last, kind)| [(*first, *kind), (*last, *kind)]);
        for (character, kind) in named {
            assert_eq!(unseen(character), Some(kind), "{character:?}");
        }
        assert!("a\u{ae}é日\u{17b6}\u{2010}\u{2801}\u{fe10}\u{fffd}🦀".chars().all(|it| unseen(it).is_none()));
    }
}
