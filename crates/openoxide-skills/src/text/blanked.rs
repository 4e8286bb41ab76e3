//! Puts a text on one line and leaves a blank where characters cannot be seen.

use super::hidden::hidden_runs;
use super::is_plain_line;

/// Returns the text on one line: sequences that a terminal obeys are gone, and each run of line ends, controls, and
/// characters that cannot be seen is one blank. Joiners and selectors that scripts and emoji need stay.
pub(crate) fn blanked_line(text: &str) -> String {
    if is_plain_line(text) {
        return text.to_owned();
    }
    let text = without_sequences(text);
    let mut hidden = hidden_runs(&text).map(|run| run.span).peekable();
    let mut line = String::with_capacity(text.len());
    let mut in_run = false;
    for (at, character) in text.char_indices() {
        while hidden.next_if(|span| span.end <= at).is_some() {}
        let is_hidden = hidden.peek().is_some_and(|span| span.contains(&at));
        let is_gone = is_hidden || is_line_end(character) || has_no_shape(character);
        if !is_gone {
            line.push(character);
        } else if !in_run {
            line.push(' ');
        }
        in_run = is_gone;
    }
    line
}

/// Tells whether a name is shown on one line as it is, and cannot be taken for anything else in a list `- NAME: TEXT`.
pub(crate) fn is_line_name(name: &str) -> bool {
    let is_blank = |character: char| character.is_whitespace() && character != ' ';
    let is_combined = name.starts_with(unicode_normalization::char::is_combining_mark);
    !is_combined
        && name.trim() == name
        && !name.contains(is_blank)
        && !["  ", ": ", "<", ">"].iter().any(|bad| name.contains(bad))
        && blanked_line(name) == name
}

fn is_line_end(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Tells whether Unicode gives a character no shape: it is for private use, or none at all.
fn has_no_shape(character: char) -> bool {
    let is_private = matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
    let is_none = matches!(character, '\u{fdd0}'..='\u{fdef}') || u32::from(character) & 0xfffe == 0xfffe;
    is_private
        || is_none
        || matches!(character, '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{8e2}' | '\u{110bd}' | '\u{110cd}')
}

/// Takes out the sequences that begin with ESC or with a control of the second set.
fn without_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '\u{90}', '\u{98}', '\u{9b}', '\u{9d}', '\u{9e}', '\u{9f}']) {
        kept.push_str(&rest[..at]);
        let (mark, after) = (rest[at..].chars().take(1).collect::<String>(), after_sequence(&rest[at..]));
        // One that begins no sequence is a control like any other.
        kept.push_str(if after.len() + mark.len() == rest.len() - at && mark == "\u{1b}" { &mark } else { "" });
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// Returns what follows the sequence that a text begins with.
fn after_sequence(text: &str) -> &str {
    let mut characters = text.chars();
    match characters.next() {
        Some('\u{1b}') => match characters.next() {
            Some('[') => after_command(characters.as_str()),
            Some(']' | 'P' | 'X' | '^' | '_') => after_string(characters.as_str()),
            Some(' '..='/') => {
                let rest = characters.as_str().trim_start_matches(|c| matches!(c, ' '..='/'));
                rest.strip_prefix(|c| matches!(c, '0'..='~')).unwrap_or(rest)
            }
            Some('0'..='~') => characters.as_str(),
            _ => &text[1..],
        },
        Some('\u{9b}') => after_command(characters.as_str()),
        Some(_) => after_string(characters.as_str()),
        None => text,
    }
}

/// Parameters, then one character that says what is to be done.
fn after_command(text: &str) -> &str {
    let rest = text.trim_start_matches(|c| matches!(c, '0'..='?')).trim_start_matches(|c| matches!(c, ' '..='/'));
    match rest.chars().next() {
        Some('@'..='~') => &rest[1..],
        _ => rest,
    }
}

/// Anything up to the end that is stated. What is not ended goes on to the end of the text.
fn after_string(text: &str) -> &str {
    let mut rest = text;
    while let Some(at) = rest.find(['\u{7}', '\u{1b}', '\u{9c}']) {
        let mut end = rest[at..].chars();
        let is_escape = end.next() == Some('\u{1b}');
        rest = end.as_str();
        match rest.strip_prefix('\\').filter(|_| is_escape) {
            Some(after) => return after,
            None if !is_escape => return rest,
            None => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(blanked_line(text), expected, "{text:?}");
    }

    #[test]
    fn runs_that_cannot_be_seen_become_one_blank() {
        check("plain  text", "plain  text");
        check("a\nb\r\n\r\nc\td", "a b c d");
        check("a\u{1}\u{2} b", "a  b");
        check("a\u{200b} \u{200b} b", "a    b");
        check("a\u{200b}b\u{202e}c\u{2028}d\u{85}e", "a b c d e");
        check("a\u{ad}b\u{2060}\u{180e}c\u{e000}d\u{f0000}e\u{fffe}f", "a b c d e f");
        check("a\u{a0}b\u{3000}c\u{301}", "a\u{a0}b\u{3000}c\u{301}");
        check("\u{fffd}", "\u{fffd}");
    }

    #[test]
    fn what_scripts_and_emoji_need_stays() {
        for text in ["❤\u{fe0f}", "👩\u{200d}👧", "🏳\u{fe0f}\u{200d}🌈", "1\u{fe0f}\u{20e3}", "ی\u{200c}ک"]
        {
            check(text, text);
        }
        check("a\u{fe0f}b\u{200d}c", "a b c");
        check("#\u{fe0f}", "# ");
    }

    #[test]
    fn terminal_sequences_are_taken_out() {
        check("a\u{1b}[31mb\u{1b}[0m", "ab");
        check("a\u{9b}31mb", "ab");
        check("a\u{1b}]8;;http://x\u{7}b\u{1b}]0;t\u{1b}\\c", "abc");
        check("a\u{1b}Pq\u{1b}\\b", "ab");
        check("a\u{1b}(Bb\u{1b}cd", "abd");
        check("before \u{1b}(é after", "before é after");
        check("a\u{1b}]0;\u{1b}[1m\u{1b}\\b", "ab");
        check("a\u{1b}[", "a");
        check("a\u{1b}]never ended", "a");
        check("a\u{1b}é", "a é");
        check("a\u{1b}", "a ");
    }

    #[test]
    fn names_that_stay_as_they_are() {
        for name in ["a b", "p:q", "-", "\"q\"", "a\\b", "é", "e\u{301}", "👩\u{200d}👧", ".x", "a&b", "p😀q"] {
            assert!(is_line_name(name), "{name:?}");
        }
        for name in [
            "a<b",
            "a>",
            "a  b",
            " a",
            "a ",
            "a: b",
            "a\tb",
            "a\u{a0}b",
            "a\u{3000}b",
            "a\u{200b}b",
            "\u{301}a",
            "a\nb",
            "a\u{1b}[31mb",
        ] {
            assert!(!is_line_name(name), "{name:?}");
        }
    }
}
