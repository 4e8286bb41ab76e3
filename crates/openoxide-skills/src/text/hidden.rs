//! Finds text that people cannot see and models read, and leaves alone what scripts and emoji need.
//!
//! The rule for everything that is sent to a model, or served to a program that may do so: it hides nothing. A text keeps
//! its lines, and each hidden character in it becomes an escape ([`visible`]); what stands in a list is on one line
//! besides ([`visible_line`]). Bytes that are asked for as bytes stay as they are, because they have a digest.

use std::borrow::Cow;
use std::ops::Range;

/// How a text is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenKind {
    /// Tag characters, or variation selectors in a row: each stands for a byte of a text.
    Encoded,
    /// Controls that change the order in which text is shown.
    Bidirectional,
    /// Characters without width, which split words.
    ZeroWidth,
    /// Controls that a terminal obeys.
    Control,
}

/// One run of hidden characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenRun {
    /// How it is hidden.
    pub kind: HiddenKind,
    /// Where it is, in bytes.
    pub span: Range<usize>,
    /// What it says, if it stands for a text.
    pub decoded: Option<String>,
}

/// Finds the hidden runs of a text, in order.
///
/// A byte-order mark at the beginning, joiners in emoji and in scripts that need them, variation selectors after what they
/// vary, the tags of a flag, and direction marks in text that runs from right to left are not hidden text.
pub fn hidden_runs(text: &str) -> Vec<HiddenRun> {
    if text.is_ascii() && !text.bytes().any(|byte| is_bad_control(char::from(byte))) {
        return Vec::new();
    }
    let runs_left = text.chars().any(is_right_to_left);
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let mut runs: Vec<HiddenRun> = Vec::new();
    let mut skip = 0;
    for (at, &(start, character)) in characters.iter().enumerate() {
        if at < skip {
            continue;
        }
        if character == BLACK_FLAG {
            skip = at + 1 + flag_tags(&characters[at + 1..]);
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| characters.get(at)).map(|pair| pair.1);
        let after = characters.get(at + 1).map(|pair| pair.1);
        let Some(kind) = kind_of(character, before, after, runs_left) else { continue };
        let end = start + character.len_utf8();
        match runs.last_mut() {
            Some(run) if run.kind == kind && run.span.end == start => run.span.end = end,
            _ => runs.push(HiddenRun { kind, span: start..end, decoded: None }),
        }
    }
    for run in runs.iter_mut().filter(|run| run.kind == HiddenKind::Encoded) {
        run.decoded = text.get(run.span.clone()).map(decode);
    }
    runs
}

/// Shows hidden characters as escapes, so that a model gets nothing that people do not see.
pub fn visible(text: &str) -> Cow<'_, str> {
    let runs = hidden_runs(text);
    if runs.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut kept) = (String::with_capacity(text.len()), 0);
    for run in runs {
        shown.push_str(&text[kept..run.span.start]);
        shown.extend(text[run.span.clone()].chars().flat_map(char::escape_unicode));
        kept = run.span.end;
    }
    shown.push_str(&text[kept..]);
    Cow::Owned(shown)
}

/// The same on one line, so that no part of a text can look like the next item of a list.
pub fn visible_line(text: &str) -> String {
    let shown = visible(text);
    let lines = shown.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']);
    lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

const BLACK_FLAG: char = '\u{1f3f4}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

fn kind_of(character: char, before: Option<char>, after: Option<char>, runs_left: bool) -> Option<HiddenKind> {
    match character {
        '\u{feff}' if before.is_none() => None,
        '\u{200c}' | ZERO_WIDTH_JOINER if before.is_some_and(needs_joiners) => None,
        '\u{200b}' if before.is_some_and(has_no_blanks) => None,
        ZERO_WIDTH_JOINER if before.is_some_and(is_pictured) && after.is_some_and(is_pictured) => None,
        '\u{200b}'..=ZERO_WIDTH_JOINER
        | '\u{2060}'..='\u{2064}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}'
        | '\u{180e}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' => Some(HiddenKind::ZeroWidth),
        '\u{200e}' | '\u{200f}' | '\u{61c}' if runs_left => None,
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(HiddenKind::Bidirectional)
        }
        // One selector varies the character before it; a second one has nothing to vary.
        '\u{fe00}'..='\u{fe0f}' => {
            (before.is_none_or(|before| is_selector(before) || before.is_whitespace())).then_some(HiddenKind::Encoded)
        }
        '\u{e0100}'..='\u{e01ef}' => (!before.is_some_and(is_ideograph)).then_some(HiddenKind::Encoded),
        '\u{e0000}'..='\u{e0fff}' => Some(HiddenKind::Encoded),
        _ if is_bad_control(character) => Some(HiddenKind::Control),
        _ => None,
    }
}

fn is_bad_control(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\r' | '\t' | '\u{c}' | '\u{85}')
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Scripts in which joiners change how letters are written: Arabic and Persian, the Indic ones, and their neighbours.
fn needs_joiners(character: char) -> bool {
    matches!(character, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

/// Scripts that put no blanks between words, so that a place to break a line has to be marked: Thai and its neighbours.
fn has_no_blanks(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

/// Emoji, their skin tones and selectors, and the symbols that take part in them.
fn is_pictured(character: char) -> bool {
    matches!(character, '\u{fe0f}' | '\u{200d}' | '\u{2190}'..='\u{2bff}' | '\u{3030}'..='\u{303d}' | '\u{1f000}'..='\u{1faff}')
}

/// Counts the tags of a flag, such as that of Wales: a few letters and an end.
fn flag_tags(after: &[(usize, char)]) -> usize {
    let tags = after.iter().take_while(|(_, tag)| matches!(tag, '\u{e0030}'..='\u{e007a}')).count();
    match after.get(tags) {
        Some((_, '\u{e007f}')) if (1..=6).contains(&tags) => tags + 1,
        _ => 0,
    }
}

/// Reads what tag characters and variation selectors stand for.
fn decode(run: &str) -> String {
    let byte = |character: char| match u32::from(character) {
        tag @ 0xe0020..=0xe007e => u8::try_from(tag - 0xe0000).ok(),
        low @ 0xfe00..=0xfe0f => u8::try_from(low - 0xfe00).ok(),
        high @ 0xe0100..=0xe01ef => u8::try_from(high - 0xe0100 + 16).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = run.chars().filter_map(byte).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<HiddenKind> {
        hidden_runs(text).iter().map(|run| run.kind).collect()
    }

    #[test]
    fn what_scripts_and_emoji_need_is_not_hidden() {
        for text in [
            "plain\ttext\r\n",
            "\u{feff}---",
            "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ 1️⃣ ☺︎ 👍🏽",
            "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
            "می‌خواهم",
            "क्‍ष श्री",
            "ภาษา\u{200b}ไทย",
            "\u{200f}שלום\u{200e} world",
            "葛\u{e0100}城",
            "naïve 日本 🦀",
        ] {
            assert_eq!(kinds(text), [], "{text:?}");
        }
    }

    #[test]
    fn what_is_served_is_visible_and_on_one_line() {
        assert_eq!(visible("a\u{200b}b\u{202e}\nc"), "a\\u{200b}b\\u{202e}\nc");
        assert_eq!(visible_line("Ships it.\r\n  - other: x\u{2028}y\n"), "Ships it. - other: x y");
        assert_eq!(visible("👩‍💻 می‌خواهم"), "👩‍💻 می‌خواهم");
    }

    #[test]
    fn what_is_hidden_is_found_and_read() {
        let tagged: String =
            "ignore all".bytes().map(|byte| char::from_u32(0xe0000 + u32::from(byte)).unwrap()).collect();
        let text = format!("a{tagged}b");
        let runs = hidden_runs(&text);
        assert_eq!(runs.len(), 1);
        assert_eq!((runs[0].span.clone(), runs[0].decoded.as_deref()), (1..text.len() - 1, Some("ignore all")));
        let selected: String =
            "hi!".bytes().map(|byte| char::from_u32(0xe0100 + u32::from(byte) - 16).unwrap()).collect();
        assert_eq!(hidden_runs(&format!("😀{selected}"))[0].decoded.as_deref(), Some("hi!"));
        assert_eq!(kinds("ig\u{200b}nore su\u{2060}do \u{feff}"), [HiddenKind::ZeroWidth; 3]);
        assert_eq!(kinds("s\u{200d}udo \u{200c}x"), [HiddenKind::ZeroWidth; 2]);
        assert_eq!(kinds("a\u{202e}b\u{2066}c\u{200f}"), [HiddenKind::Bidirectional; 3]);
        assert_eq!(kinds("\u{1b}[8m\u{7}"), [HiddenKind::Control; 2]);
        // A flag is no place for a long text.
        assert_eq!(kinds(&format!("🏴{tagged}\u{e007f}")), [HiddenKind::Encoded]);
    }
}
