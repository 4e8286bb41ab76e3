//! The arguments that a skill is called with: the text as typed, and its words.

use crate::host::WordRule;

/// What a skill is called with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The whole text.
    pub raw: String,
    /// Its words.
    pub words: Vec<String>,
}

impl Arguments {
    /// Takes text as it was typed. Blanks around it are ignored.
    pub fn from_raw(rule: WordRule, raw: &str) -> Arguments {
        let raw = raw.trim();
        Arguments { raw: raw.to_owned(), words: split(rule, raw) }
    }

    /// Takes words as a shell has already split them. As one text they are joined so that they split again in the same way.
    pub fn from_words<W: AsRef<str>>(words: &[W]) -> Arguments {
        let raw: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
        Arguments { raw: raw.join(" "), words: words.iter().map(|word| word.as_ref().to_owned()).collect() }
    }
}

/// Returns a word so that it is one word again when the text is split.
fn quoted(word: &str) -> String {
    let special = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    match word {
        "" => "\"\"".to_owned(),
        word if !word.contains(special) => word.to_owned(),
        word if !word.contains('\'') => format!("'{word}'"),
        word => format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

fn split(rule: WordRule, text: &str) -> Vec<String> {
    match rule {
        WordRule::Shell => shell_words(text, true),
        WordRule::ShellText => shell_words(text, false),
        WordRule::Tokens => tokens(text),
    }
}

/// Splits typed text into words as a shell does, without its operators.
///
/// The shell lexer cannot do this: typed text is no command, and hosts take a quote that nothing closes for an ordinary
/// character. With `strict`, backslashes also escape inside double quotes, and the text after such a quote is split.
fn shell_words(text: &str, strict: bool) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            ' ' | '\t' | '\n' | '\r' => {
                words.extend(word.take());
                after
            }
            '\\' => {
                let next = after.chars().next();
                word.get_or_insert_default().push(next.unwrap_or('\\'));
                &after[next.map_or(0, char::len_utf8)..]
            }
            '"' | '\'' => {
                let word = word.get_or_insert_default();
                match closing(after, c) {
                    Some(end) => {
                        unquote(word, &after[..end], strict && c == '"');
                        &after[end + 1..]
                    }
                    None if strict => {
                        word.push(c);
                        after
                    }
                    None => {
                        word.push_str(rest);
                        ""
                    }
                }
            }
            c => {
                word.get_or_insert_default().push(c);
                after
            }
        };
    }
    words.extend(word);
    words
}

/// Finds the end of quoted text; only double quotes can be escaped inside.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let closes = c == quote && !escaped;
        escaped = quote == '"' && c == '\\' && !escaped;
        closes.then_some(at)
    })
}

fn unquote(word: &mut String, text: &str, escapes: bool) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = escapes && c == '\\' && chars.peek().is_some_and(|next| matches!(next, '"' | '\\' | '$' | '`'));
        word.extend(if escaped { chars.next() } else { Some(c) });
    }
}

/// Splits into pictures, quoted texts and runs of other characters.
fn tokens(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            c if c.is_whitespace() => c.len_utf8(),
            '"' | '\'' => match rest[1..].find(c) {
                Some(end) => {
                    words.push(rest[1..=end].to_owned());
                    end + 2
                }
                None => 1,
            },
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).unwrap_or(rest.len());
                let end = picture(rest).unwrap_or(end);
                words.push(rest[..end].to_owned());
                end
            }
        };
        rest = &rest[taken..];
    }
    words
}

/// Returns the length of a picture's mark, `[Image 1]`, at the start of a text.
fn picture(text: &str) -> Option<usize> {
    let mark = text.get(..6).filter(|mark| mark.eq_ignore_ascii_case("[image"))?;
    let spaced = &text[mark.len()..];
    let number = spaced.trim_start();
    let end = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let whole = spaced.len() > number.len() && number.len() > end.len() && end.starts_with(']');
    whole.then(|| text.len() - end.len() + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows of the forms that the real programs were asked about.
    #[test]
    fn words_of_typed_text() {
        let rows: &[(WordRule, &str, &[&str])] = &[
            (
                WordRule::Shell,
                r#"a b\ c "d\"e" "f\\g" "h\x" 'i\j' k'l'm"n o"p ""  q"#,
                &["a", "b c", "d\"e", "f\\g", "h\\x", "i\\j", "klmn op", "", "q"],
            ),
            (WordRule::Shell, "it's fine", &["it's", "fine"]),
            (WordRule::Shell, "unclosed \"b c", &["unclosed", "\"b", "c"]),
            (WordRule::Shell, "a;b #c\n$(d) \\", &["a;b", "#c", "$(d)", "\\"]),
            (
                WordRule::ShellText,
                r#"a b\ c "d\"e" "f\\g" "h\x" 'i\j' k'l'm"n o"p ""  q"#,
                &["a", "b c", "d\\\"e", "f\\\\g", "h\\x", "i\\j", "klmn op", "", "q"],
            ),
            (WordRule::ShellText, "unclosed \"b c", &["unclosed", "\"b c"]),
            (WordRule::ShellText, "it's fine", &["it's fine"]),
            (WordRule::ShellText, "a\tb", &["a", "b"]),
            (WordRule::Tokens, "[Image 1] it's \"un closed x", &["[Image 1]", "it", "s", "un", "closed", "x"]),
            (WordRule::Tokens, "a\"b c\"d \"\" e\\ f ;g", &["a", "b c", "d", "", "e\\", "f", ";g"]),
            (
                WordRule::Tokens,
                "[image 2] [Image x] 'q\"r' \"s't\" é\u{a0}f",
                &["[image 2]", "[Image", "x]", "q\"r", "s't", "é", "f"],
            ),
        ];
        for (rule, text, expected) in rows {
            assert_eq!(Arguments::from_raw(*rule, text).words, *expected, "{rule:?} {text}");
        }
    }

    #[test]
    fn blanks_around_typed_text_do_not_count() {
        assert_eq!(Arguments::from_raw(WordRule::Shell, "  lead  and   trail  ").raw, "lead  and   trail");
        assert!(Arguments::from_raw(WordRule::Shell, " \n").raw.is_empty());
    }

    proptest! {
        #[test]
        fn splitting_never_panics(text in "[ -~é\\[\\]\"'\\\\\n]{0,60}") {
            for rule in [WordRule::Shell, WordRule::ShellText, WordRule::Tokens] {
                Arguments::from_raw(rule, &text);
            }
        }

        #[test]
        fn words_joined_and_split_are_the_same_words(words in proptest::collection::vec("[ -~é\n]{0,8}", 0..5)) {
            let typed = Arguments::from_words(&words);
            prop_assert_eq!(split(WordRule::Shell, &typed.raw), words);
        }
    }
}
