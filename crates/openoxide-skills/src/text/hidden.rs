//! Finds text that people cannot see and models read, and leaves alone what scripts and emoji need.
//!
//! The rule for everything that is sent to a model, or served to a program that may do so: it hides nothing. A text keeps
//! its lines, and each hidden character in it becomes an escape ([`visible`]); what stands in a list is on one line
//! besides ([`visible_line`]). Bytes that are asked for as bytes stay as they are, because they have a digest.

use std::borrow::Cow;
use std::ops::Range;

use super::is_plain_line;
use super::unseen::{HiddenKind, Neighbors, is_direction_mark, is_needed, is_right_to_left, unseen};

/// Most hidden characters of a text that become escapes. An escape is longer than what it stands for, so a text that hides
/// more would be several times as long as its file.
const ESCAPES_MAX: usize = 10_000;

const BLACK_FLAG: char = '\u{1f3f4}';
/// Most tags of a flag, without the one that ends it.
const FLAG_TAGS_MAX: usize = 6;

/// One run of hidden characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenRun {
    /// How it is hidden.
    pub kind: HiddenKind,
    /// Where it is, in bytes.
    pub span: Range<usize>,
}

impl HiddenRun {
    /// Reads what the run says, if it stands for a text; `text` is the one that it was found in.
    pub fn decoded(&self, text: &str) -> Option<String> {
        let run = text.get(self.span.clone()).filter(|_| self.kind == HiddenKind::Encoded)?;
        Some(decode(run)).filter(|decoded| !decoded.is_empty())
    }
}

/// Finds the hidden runs of a text, in order, while it is read: nothing is held, however long the text is.
///
/// A byte-order mark at the beginning, joiners in emoji and in scripts that need them, variation selectors after what they
/// vary, the tags of a flag, and direction marks in lines that run from right to left are not hidden text.
pub fn hidden_runs(text: &str) -> HiddenRuns<'_> {
    HiddenRuns { text, at: 0, before: None, line_end: 0, line_runs_left: false, next: None }
}

/// The hidden runs of a text.
#[derive(Clone, Debug)]
pub struct HiddenRuns<'t> {
    text: &'t str,
    /// How far the text is read.
    at: usize,
    before: Option<char>,
    /// Where the line ends that was looked through last, and whether it runs from right to left.
    line_end: usize,
    line_runs_left: bool,
    /// The beginning of the next run, where two are side by side.
    next: Option<HiddenRun>,
}

impl Iterator for HiddenRuns<'_> {
    type Item = HiddenRun;

    fn next(&mut self) -> Option<HiddenRun> {
        let mut run = self.next.take();
        if run.is_none() {
            self.skip_plain();
        }
        while let Some((span, kind)) = self.step() {
            match (&mut run, kind) {
                (None, None) => self.skip_plain(),
                (None, Some(kind)) => run = Some(HiddenRun { kind, span }),
                (Some(_), None) => break,
                (Some(run), Some(kind)) if run.kind == kind => run.span.end = span.end,
                (Some(_), Some(kind)) => {
                    self.next = Some(HiddenRun { kind, span });
                    break;
                }
            }
        }
        run
    }
}

impl HiddenRuns<'_> {
    /// Reads over plain ASCII, which most texts have most of.
    fn skip_plain(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().take_while(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')).count();
        if let Some(last) = length.checked_sub(1).and_then(|last| rest.get(last)) {
            self.at += length;
            self.before = Some(char::from(*last));
        }
    }

    /// Reads one character, or a whole flag: where it is, and how it is hidden, if it is.
    fn step(&mut self) -> Option<(Range<usize>, Option<HiddenKind>)> {
        let start = self.at;
        let character = self.text[start..].chars().next()?;
        self.at += character.len_utf8();
        if character == BLACK_FLAG {
            self.at += flag_tags(&self.text[self.at..]);
        }
        let kind = self.kind_of(character, start);
        // What is hidden is shown as an escape, so it is nothing that the next character could belong to.
        self.before = Some(if kind.is_some() { char::REPLACEMENT_CHARACTER } else { character });
        Some((start..self.at, kind))
    }

    fn kind_of(&mut self, character: char, start: usize) -> Option<HiddenKind> {
        if is_bad_control(character) {
            return Some(HiddenKind::Control);
        }
        let kind = unseen(character)?;
        let neighbors = Neighbors { before: self.before, after: self.text[self.at..].chars().next() };
        let is_needed = match is_direction_mark(character) {
            // A second mark in a row changes nothing.
            true => !self.before.is_some_and(is_direction_mark) && self.runs_left(start),
            false => is_needed(character, neighbors),
        };
        (!is_needed).then_some(kind)
    }

    /// Tells whether the line around a place has text that runs from right to left. Each line is looked through once.
    fn runs_left(&mut self, at: usize) -> bool {
        if at >= self.line_end {
            let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            self.line_end = self.text[at..].find('\n').map_or(self.text.len(), |length| at + length);
            self.line_runs_left = self.text[start..self.line_end].chars().any(is_right_to_left);
        }
        self.line_runs_left
    }
}

/// Shows hidden characters as escapes, so that a model gets nothing that people do not see. In a text that hides very many,
/// each further run becomes one replacement character.
pub fn visible(text: &str) -> Cow<'_, str> {
    let mut runs = hidden_runs(text).peekable();
    if runs.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut kept, mut room) = (String::with_capacity(text.len()), 0, ESCAPES_MAX);
    for run in runs {
        let hidden = &text[run.span.clone()];
        shown.push_str(&text[kept..run.span.start]);
        shown.extend(hidden.chars().take(room).flat_map(char::escape_unicode));
        if let Some(left) = room.checked_sub(hidden.chars().count()) {
            room = left;
        } else {
            room = 0;
            shown.push(char::REPLACEMENT_CHARACTER);
        }
        kept = run.span.end;
    }
    shown.push_str(&text[kept..]);
    Cow::Owned(shown)
}

/// The same on one line, so that no part of a text can look like the next item of a list.
pub fn visible_line(text: &str) -> String {
    if is_plain_line(text) {
        return text.trim().to_owned();
    }
    let shown = visible(text);
    let lines = shown.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']);
    lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn is_bad_control(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\r' | '\t' | '\u{c}' | '\u{85}')
}

/// Returns the length of a flag's tags, such as those of Wales: a few letters and an end.
fn flag_tags(after: &str) -> usize {
    let is_tag = |tag: &char| matches!(tag, '\u{e0030}'..='\u{e007a}');
    let tags = after.chars().take(FLAG_TAGS_MAX).take_while(is_tag).count();
    match after.chars().nth(tags) {
        Some('\u{e007f}') if tags > 0 => after.chars().take(tags + 1).map(char::len_utf8).sum(),
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
        hidden_runs(text).map(|run| run.kind).collect()
    }

    #[test]
    fn what_scripts_and_emoji_need_is_not_hidden() {
        for text in [
            "plain\ttext\r\n",
            "\u{feff}---",
            "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ 1️⃣ #️⃣ ☺︎ 👍🏽 ©️ ™️ ㊗️ 🙂‍↔️ 🏴‍☠️",
            "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
            "می‌خواهم",
            "क्‍ष श्री",
            "ภาษา\u{200b}ไทย",
            "\u{200f}שלום\u{200e} world",
            "葛\u{e0100}城 直\u{fe00}",
            "ᠠ\u{180b}ᠨ 0\u{fe00} ≨\u{fe00} က\u{fe00}",
            "\u{1100}\u{1160}\u{11a8} ⠓\u{2800}⠊ בְּ\u{34f}ֹ",
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
        let runs: Vec<HiddenRun> = hidden_runs(&text).collect();
        assert_eq!(runs, [HiddenRun { kind: HiddenKind::Encoded, span: 1..text.len() - 1 }]);
        assert_eq!(runs[0].decoded(&text).as_deref(), Some("ignore all"));
        let selected: String =
            "hi!".bytes().map(|byte| char::from_u32(0xe0100 + u32::from(byte) - 16).unwrap()).collect();
        let text = format!("😀{selected}");
        assert_eq!(hidden_runs(&text).next().unwrap().decoded(&text).as_deref(), Some("hi!"));
        assert_eq!(kinds("ig\u{200b}nore su\u{2060}do \u{feff}"), [HiddenKind::ZeroWidth; 3]);
        assert_eq!(kinds("s\u{200d}udo \u{200c}x"), [HiddenKind::ZeroWidth; 2]);
        assert_eq!(kinds("a\u{202e}b\u{2066}c\u{200f}"), [HiddenKind::Bidirectional; 3]);
        assert_eq!(kinds("\u{1b}[8m\u{7}"), [HiddenKind::Control; 2]);
        assert_eq!(kinds("\u{1b}\u{200b}\u{200b}\u{202e}").len(), 3, "runs of two kinds are two");
        // A flag is no place for a long text.
        assert_eq!(kinds(&format!("🏴{tagged}\u{e007f}")), [HiddenKind::Encoded]);
    }

    #[test]
    fn blank_letters_and_ignored_characters_hide() {
        for hidden in [
            '\u{ad}',
            '\u{34f}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{17b5}',
            '\u{2065}',
            '\u{2800}',
            '\u{3164}',
            '\u{ffa0}',
            '\u{fff0}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{1d17a}',
        ] {
            assert_eq!(kinds(&format!("ig{hidden}nore")), [HiddenKind::ZeroWidth], "{hidden:?}");
        }
    }

    /// Otherwise each character of an ordinary text could stand for some bits of another.
    #[test]
    fn selectors_and_marks_hide_where_they_mean_nothing() {
        assert_eq!(kinds("T\u{fe06}h\u{fe09}e \u{fe0f}é\u{fe0e}"), [HiddenKind::Encoded; 4]);
        assert_eq!(kinds("1\u{fe0f}2\u{fe0e} 葛\u{fe0f}城\u{fe03} 🦀\u{fe00}"), [HiddenKind::Encoded; 5]);
        assert_eq!(kinds("❤\u{fe0f}\u{fe0f} a\u{180b} ᠠ\u{fe00}"), [HiddenKind::Encoded; 3]);
        assert_eq!(kinds("👩\u{200d}\u{200d}💻"), [HiddenKind::ZeroWidth], "an emoji has one joiner in a row");
        let text = "שלום\nplain\u{200e} text\u{200f}\n\u{200f}\u{200e}שלום";
        assert_eq!(kinds(text), [HiddenKind::Bidirectional; 3], "one line in Hebrew does not speak for the others");
    }

    /// An escape is up to seven times as long as what it stands for.
    #[test]
    fn a_text_that_hides_very_much_does_not_grow_without_bound() {
        let text = "\u{1b}".repeat(1_000_000) + "end";
        let shown = visible(&text);
        assert!(shown.len() < text.len() && shown.ends_with("\u{fffd}end"), "{}", shown.len());
        assert_eq!(shown.matches("\\u{1b}").count(), ESCAPES_MAX);
        let text = "a\u{1b}".repeat(1_000_000);
        assert!(visible(&text).len() < 2 * text.len() + 6 * ESCAPES_MAX);
        assert_eq!(visible(&"a\u{200b}".repeat(ESCAPES_MAX)), "a\\u{200b}".repeat(ESCAPES_MAX));
    }

    proptest::proptest! {
        #[test]
        fn what_is_visible_hides_nothing(text in "[a❤🏴1葛א\u{200b}-\u{200f}\u{fe00}-\u{fe0f}\u{e0030}-\u{e007f}\u{1b}\n]{0,40}") {
            let shown = visible(&text);
            proptest::prop_assert_eq!(hidden_runs(&shown).next(), None);
            proptest::prop_assert_eq!(hidden_runs(&text).next().is_none(), shown == text);
            let runs: Vec<HiddenRun> = hidden_runs(&text).collect();
            proptest::prop_assert!(runs.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
            proptest::prop_assert!(runs.iter().all(|run| text.get(run.span.clone()).is_some_and(|it| !it.is_empty())));
        }
    }
}
