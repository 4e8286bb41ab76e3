//! Reads the YAML that nearly every skill is written in, without a YAML parser.
//!
//! A key on each line with a text behind it, one level of keys below one, and texts in blocks: that is nine in ten
//! frontmatters, and the general parser takes most of a search for them. Whatever is not certainly read the same way is left to
//! it, and a property test compares the trees of both.

use std::borrow::Cow;
use std::ops::Range;

use super::node::{Node, Pair, Value};

/// Most keys that are read here, on all levels; the limits of the general parser hold for more.
const KEYS_MAX: usize = 500;

/// Longest key that is read here. YAML limits a key to 1,024 characters, and the general parser reports a longer one.
const KEY_MAX: usize = 256;

/// Reads a simple text; nothing if it takes the general parser.
pub(super) fn parse(text: &str) -> Option<Node<'_>> {
    let mut lines = Lines::new(text)?;
    let mut pairs = Vec::with_capacity(8);
    while let Some(line) = lines.next() {
        pairs.push(lines.pair(line)?);
    }
    map(pairs, text.len())
}

/// Makes the node of a block of keys, which ends where the next thing begins.
fn map(pairs: Vec<Pair<'_>>, end: usize) -> Option<Node<'_>> {
    let start = pairs.first()?.0.span.start;
    Some(Node { value: Value::Map(pairs), span: start..end, feature: None })
}

/// The lines of a text, none of them empty.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    /// How many keys were read.
    keys: usize,
}

/// A line: where it begins, how far it is indented, and what it says.
#[derive(Clone, Copy)]
struct Line<'t> {
    start: usize,
    indent: usize,
    text: &'t str,
}

impl<'t> Lines<'t> {
    /// Returns the lines of a text that holds nothing but printable characters and line ends.
    fn new(text: &'t str) -> Option<Lines<'t>> {
        // No early exit inside a block, so that the compiler can vectorize the loop.
        let is_ascii =
            |block: &[u8]| block.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~' | b'\n'));
        let is_plain = text.as_bytes().chunks(64).all(is_ascii) || text.chars().all(is_plain);
        is_plain.then_some(Lines { text, at: 0, keys: 0 })
    }

    fn peek(&self) -> Option<Line<'t>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let line = &rest[..rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len())];
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        Some(Line { start: self.at + indent, indent, text })
    }

    fn next(&mut self) -> Option<Line<'t>> {
        let line = self.peek()?;
        self.at = (line.start + line.text.len() + 1).min(self.text.len());
        Some(line)
    }

    /// Returns the next line if it belongs to the block below a key.
    fn next_inside(&mut self) -> Option<Line<'t>> {
        self.peek().filter(|line| line.indent > 0)?;
        self.next()
    }

    /// Reads a key at the beginning of a line, and what belongs to it.
    fn pair(&mut self, line: Line<'t>) -> Option<Pair<'t>> {
        if line.indent > 0 {
            return None;
        }
        let (key, rest) = self.key(line)?;
        let value = match rest.text {
            "" => self.keys_below()?,
            "|" | "|-" | ">" | ">-" => self.block(rest)?,
            _ => {
                // What is indented would go on with the text.
                self.peek().is_none_or(|next| next.indent == 0 && !next.text.is_empty()).then_some(())?;
                scalar(rest)?
            }
        };
        Some((key, value))
    }

    /// Reads a key, if there were not too many.
    fn key(&mut self, line: Line<'t>) -> Option<(Node<'t>, Line<'t>)> {
        self.keys += 1;
        key(line).filter(|_| self.keys <= KEYS_MAX)
    }

    /// Reads the keys below a key, each with its text on the same line.
    fn keys_below(&mut self) -> Option<Node<'t>> {
        let mut pairs = Vec::with_capacity(4);
        let indent = self.peek()?.indent;
        while let Some(line) = self.next_inside() {
            let (key, rest) = self.key(line).filter(|_| line.indent == indent)?;
            pairs.push((key, scalar(rest)?));
        }
        map(pairs, self.at)
    }

    /// Reads the lines of a block, which have the same indent.
    fn block(&mut self, header: Line<'t>) -> Option<Node<'t>> {
        let Line { start, indent, .. } = self.peek()?;
        let is_folded = header.text.starts_with('>');
        let mut text = String::new();
        while let Some(line) = self.next_inside() {
            if line.indent != indent || line.text.is_empty() || line.text.ends_with(' ') {
                return None;
            }
            if !text.is_empty() {
                text.push(if is_folded { ' ' } else { '\n' });
            }
            text.push_str(line.text);
        }
        let is_ended = self.text[..self.at].ends_with('\n');
        if text.is_empty() || !is_ended {
            return None;
        }
        if !header.text.ends_with('-') {
            text.push('\n');
        }
        Some(node(Cow::Owned(text), false, start..self.at))
    }
}

/// Tells whether YAML takes a character for text, wherever it stands.
fn is_plain(character: char) -> bool {
    match character {
        ' '..='~' | '\n' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => character >= '\u{a0}',
    }
}

/// Splits a line into its key and what stands behind the colon.
fn key(line: Line<'_>) -> Option<(Node<'_>, Line<'_>)> {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length = line.text.bytes().take_while(|byte| is_key(byte)).count();
    let (key, rest) = line.text.split_at_checked(length).filter(|_| length <= KEY_MAX)?;
    let is_letter = key.starts_with(|first: char| first.is_ascii_alphabetic());
    let rest = rest.strip_prefix(':').filter(|rest| is_letter && (rest.is_empty() || rest.starts_with(' ')))?;
    let value = rest.trim_start_matches(' ');
    let start = line.start + length + 1 + (rest.len() - value.len());
    let node = node(Cow::Borrowed(key), true, line.start..line.start + length);
    Some((node, Line { start, indent: 0, text: value.trim_end_matches(' ') }))
}

/// Reads a text that ends with its line, in quotes or without.
fn scalar(line: Line<'_>) -> Option<Node<'_>> {
    let span = line.start..line.start + line.text.len();
    let quote = line.text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let Some(quote) = quote else {
        let is_text = line.text.starts_with(char::is_alphanumeric);
        let is_simple = is_text && !line.text.contains(": ") && !line.text.contains(" #") && !line.text.ends_with(':');
        return is_simple.then(|| node(Cow::Borrowed(line.text), true, span));
    };
    let inner = line.text.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_simple = !inner.contains([quote, '\\']);
    is_simple.then(|| node(Cow::Borrowed(inner), false, span))
}

fn node(text: Cow<'_, str>, plain: bool, span: Range<usize>) -> Node<'_> {
    Node { value: Value::Scalar { text, plain }, span, feature: None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::parse_any;
    use super::{Node, parse};

    fn check(text: &str) {
        let simple = parse(text);
        assert!(simple.is_some(), "left to the parser: {text:?}");
        assert_eq!(simple, parse_any(text).ok(), "{text:?}");
    }

    #[test]
    fn what_is_simple_is_read_as_the_parser_reads_it() {
        check("name: a");
        check("name:   a b  \nother-key: Bash(git:*) 1.0\n");
        check("a: \"x: y # z\"\nb: 'it \"is\"'\n");
        check("a: \"\"\nb: ''\n");
        check("a: |\n  one\n  two\nb: c\n");
        check("a: >-\n  one\n  two\n");
        check("a: >\n one\n two\nb: |-\n    x\n");
        check("metadata:\n  by: me\n  version: \"1.0\"\nname: x\n");
        check("name: x\nmetadata:\n  by: me");
        check("description: Größe – 日本 🦀\nname: é\n");
    }

    #[test]
    fn what_is_not_certain_is_left_to_the_parser() {
        for text in [
            "",
            "a:",
            "a: b\n\nc: d",
            "a: b\n  more",
            "a: b: c",
            "a: b #c",
            "a: [b]",
            "a: &b c",
            "a: *b",
            "a: !b c",
            "a: b\r\nc: d",
            "a:\tb",
            "a: \"\\n\"",
            "a: 'it''s'",
            "a: |+\n  x\n",
            "a: |2\n  x\n",
            "a: |\n  x\n\n  y\n",
            "a: >\n  x\n    y\n",
            "a: |\n  x",
            "- a",
            "--- a",
            "a: b\n---\nc: d",
            "a:\n  - b\n",
            "a:\n  b:\n    c: d\n",
            "? a: b",
            "\u{feff}a: b",
            &format!("{}: v", "k".repeat(1_025)),
            &"a: b\n".repeat(501),
            &format!("a:\n{}", "  b: c\n".repeat(300)).repeat(2),
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    /// Pieces that YAML gives a meaning, among words.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "(name|description|a|k-1|x_y): ".prop_map(String::from),
            2 => "[a-z0-9é ]{0,6}",
            3 => prop::sample::select(vec![
                "\n", "\n", "\n  ", "\n ", " ", ":", "\"", "'", "|", ">", "|-", ">-", "#", " #", "- ", "[", "]", "{", "}", "&a ",
                "*a", "!t ", "%", "@", "`", "\\", "?", "---", "...", ",", "~", "\t", "\r", "\u{85}", "\u{2028}", "\u{feff}", "meta:",
            ]).prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
    }

    /// Lines as people write them.
    fn documents() -> impl Strategy<Value = String> {
        let value = prop_oneof![
            "[a-zA-Z0-9][a-zA-Z0-9:,.()*#'\" é–-]{0,12}",
            "\"[a-z: #'é-]{0,8}\" {0,2}",
            "'[a-z: #\"é-]{0,8}'",
            "[|>]-?\n {1,3}[a-z]{1,5}",
            "[|>]-?\n  [a-z:#\" -]{1,8}\n  [a-z:#]{1,8}",
            "\n  [a-z]{1,3}: [a-z0-9.]{1,5}",
            "\n  [a-z]{1,3}: [a-z0-9.]{1,5}\n  [a-z]{1,3}: \"[a-z0-9.]{0,5}\"",
        ];
        let line =
            ("[a-z][a-z0-9_-]{0,6}:", " {0,2}", value).prop_map(|(key, gap, value)| format!("{key}{gap}{value}"));
        (prop::collection::vec(line, 1..5), "\n?").prop_map(|(lines, end)| lines.join("\n") + &end)
    }

    fn same_or_left(text: &str) -> Option<Node<'_>> {
        let simple = parse(text)?;
        assert_eq!(Ok(&simple), parse_any(text).as_ref(), "{text:?}");
        Some(simple)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn any_text_is_read_the_same_or_left(text in pieces()) {
            same_or_left(&text);
        }

        #[test]
        fn documents_are_read_the_same_or_left(text in documents()) {
            same_or_left(&text);
        }
    }
}
