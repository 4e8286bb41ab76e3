//! Columns that line up, cut to the width of the terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr};

pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

pub(crate) fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.width())))
}

/// Cuts a text to a width, with a mark where it was cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(character);
    }
    format!("{}…", kept.trim_end())
}

/// Returns the widest of some texts, within bounds.
pub(crate) fn widest<'t>(texts: impl Iterator<Item = &'t str>, most: usize) -> usize {
    texts.map(UnicodeWidthStr::width).max().unwrap_or(0).min(most)
}

/// Writes a text after a lead, broken between words where the width ends; the lines after the first begin below it.
///
/// Words are never cut: a path or a command stays whole.
pub(crate) fn fill(lead: &str, text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return format!("{lead}{text}") };
    let indent = " ".repeat(textwrap::core::display_width(lead));
    let options = textwrap::Options::new(width)
        .initial_indent(&indent)
        .subsequent_indent(&indent)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let filled = textwrap::fill(text, options);
    format!("{lead}{}", filled.strip_prefix(&indent).unwrap_or(&filled))
}

/// Writes a text in the same way, and breaks nothing in backticks either: what stands there may be a command to copy.
pub(crate) fn fill_around_code(lead: &str, text: &str, width: Option<usize>) -> String {
    // A character for private use stands for a blank that stays; text that is shown has none.
    const KEPT_BLANK: &str = "\u{e000}";
    let mut parts: Vec<String> = text.split('`').map(str::to_owned).collect();
    let codes = parts.len().saturating_sub(1) / 2;
    for code in parts.iter_mut().skip(1).step_by(2).take(codes) {
        *code = code.replace(' ', KEPT_BLANK);
    }
    fill(lead, &parts.join("`"), width).replace(KEPT_BLANK, " ")
}

/// Writes every line after an indent, and goes on after the same indent where the width ends. Not one letter is lost.
pub(crate) fn indented(indent: &str, text: &str, width: Option<usize>) -> String {
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(indent.width()).max(MIN_ROOM));
    let mut written = String::new();
    for (number, line) in text.split('\n').enumerate() {
        written.push_str(if number > 0 { "\n" } else { "" });
        written.push_str(indent);
        let mut used = 0;
        for character in line.chars() {
            let wide = character.width().unwrap_or(0);
            if used + wide > room {
                written.push('\n');
                written.push_str(indent);
                used = 0;
            }
            used += wide;
            written.push(character);
        }
    }
    written
}

/// The fewest columns that text gets.
const MIN_ROOM: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_count_columns_not_bytes() {
        assert_eq!(cut("short", 10), "short");
        assert_eq!(cut("日本語のテキスト", 7), "日本語…");
        assert_eq!(cut("ends in space here", 9), "ends in…");
        assert_eq!(pad_left("7", 3), "  7");
    }

    #[test]
    fn quoted_lines_keep_every_letter_and_their_indent() {
        assert_eq!(indented("  ", "short\n\n  more", None), "  short\n  \n    more");
        assert_eq!(indented("  ", "0123456789  x", Some(10)), "  01234567\n  89  x");
        assert_eq!(indented("  ", "日本語日本語", Some(11)), "  日本語日\n  本語");
    }

    #[test]
    fn lines_break_between_words_and_begin_below_the_lead() {
        assert_eq!(fill("hint: ", "one two three four", Some(14)), "hint: one two\n      three\n      four");
        assert_eq!(fill("", "a/path/that/is/long ends", Some(10)), "a/path/that/is/long\nends");
        assert_eq!(fill("hint: ", "as it is", None), "hint: as it is");
    }

    #[test]
    fn what_is_in_backticks_is_not_broken() {
        let filled = |text| fill_around_code("", text, Some(16));
        assert_eq!(filled("run `openoxide list --all` to see it"), "run\n`openoxide list --all`\nto see it");
        assert_eq!(filled("openoxide answers a question of one"), "openoxide\nanswers a\nquestion of one");
        assert_eq!(filled("one ` alone is no code at all"), "one ` alone is\nno code at all");
    }
}
