//! Reads what other programs read although it is not quite frontmatter: comments before it, tabs in it, single lines.

use std::borrow::Cow;

use crate::frontmatter::{EditedText, lines};
use crate::host::{ParseRules, Prepare};
use crate::text::yaml::{self, Node, Pair, Value};

const COMMENT: (&str, &str) = ("<!--", "-->");

/// What a host makes of a text before it looks for the frontmatter.
pub(super) enum Prepared {
    /// It stays as it is.
    Same,
    /// It is another one.
    Changed(EditedText),
    /// More of the file is needed to tell.
    Unfinished,
}

/// Takes out comments and carriage returns where the host does.
pub(super) fn prepare(text: &str, rules: &ParseRules, whole: bool) -> Prepared {
    let mut comments = Marks::new(COMMENT.0, rules.prepare.contains(&Prepare::StripComments));
    let mut returns = Marks::new("\r", rules.prepare.contains(&Prepare::LineReturns));
    let mut edits = Vec::new();
    let mut at = 0;
    loop {
        let (comment, line_end) = (comments.next(text, at), returns.next(text, at));
        let (start, is_comment) = match (comment, line_end) {
            (Some(comment), line_end) if line_end.is_none_or(|line_end| comment < line_end) => (comment, true),
            (_, Some(line_end)) => (line_end, false),
            _ => break,
        };
        let (end, replacement) = match is_comment {
            false => (start + if text[start..].starts_with("\r\n") { 2 } else { 1 }, "\n"),
            true => match text[start..].find(COMMENT.1) {
                Some(length) => (start + length + COMMENT.1.len(), ""),
                // Nor does any later comment end; to look for the end of each would take a time that is quadratic.
                None if whole => {
                    comments.wanted = false;
                    continue;
                }
                None => return Prepared::Unfinished,
            },
        };
        edits.push((start..end, replacement.to_owned()));
        at = end;
    }
    // A byte-order mark is one at the very start of a file only, not behind a comment.
    if edits.first().is_some_and(|(range, _)| range.start == 0 && text[range.end..].starts_with('\u{feff}')) {
        edits.remove(0);
    }
    if edits.is_empty() { Prepared::Same } else { Prepared::Changed(EditedText::new(text, edits)) }
}

/// Where a mark stands in a text, looked for once.
struct Marks {
    mark: &'static str,
    wanted: bool,
    known: Option<usize>,
}

impl Marks {
    fn new(mark: &'static str, wanted: bool) -> Marks {
        Marks { mark, wanted, known: None }
    }

    fn next(&mut self, text: &str, from: usize) -> Option<usize> {
        if self.wanted && self.known.is_none_or(|known| known < from) {
            self.known = text[from..].find(self.mark).map(|at| from + at);
            self.wanted = self.known.is_some();
        }
        self.known.filter(|_| self.wanted)
    }
}

/// Reads lines of the form `key: value`, each value for itself; what is not YAML, or is a map, is taken as it is written.
pub(super) fn read_lines(text: &str) -> Node<'_> {
    let pairs = lines(text).filter_map(|(start, line)| read_pair(line, start));
    Node { value: Value::Map(pairs.collect()), span: 0..text.len(), feature: None }
}

fn read_pair(line: &str, start: usize) -> Option<Pair<'_>> {
    let (key, rest) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let at = start + line.len() - rest.trim_start().len();
    let is_pair = is_key && !rest.trim().contains(['\u{2028}', '\u{2029}']);
    is_pair.then(|| (scalar(key, start), read_value(rest.trim(), at)))
}

fn read_value(text: &str, at: usize) -> Node<'_> {
    match yaml::parse(text) {
        Ok(node) if !matches!(node.value, Value::Map(_)) && !node.is_null() => node.moved(at),
        _ => scalar(text, at),
    }
}

fn scalar(text: &str, at: usize) -> Node<'_> {
    Node { value: Value::Scalar { text: Cow::Borrowed(text), plain: false }, span: at..at + text.len(), feature: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(text: &str, whole: bool) -> String {
        let rules = ParseRules { prepare: vec![Prepare::StripComments, Prepare::LineReturns], ..ParseRules::default() };
        match prepare(text, &rules, whole) {
            Prepared::Same => "same".to_owned(),
            Prepared::Changed(edited) => edited.text,
            Prepared::Unfinished => "unfinished".to_owned(),
        }
    }

    #[test]
    fn comments_and_returns_go() {
        assert_eq!(prepared("---\na: b\n", true), "same");
        assert_eq!(prepared("<!-- c -->---\r\na: b\rc<!--\r-->d", true), "---\na: b\ncd");
        assert_eq!(prepared("<!-- c -->\u{feff}---\n", true), "same");
        assert_eq!(prepared("a <!-- b", true), "same");
        assert_eq!(prepared("a <!-- b", false), "unfinished");
        assert_eq!(prepared("a <!-- b\r\nc", true), "a <!-- b\nc");
    }

    #[test]
    fn lines_are_read_one_by_one() {
        let node = read_lines("name: \"a\ndescription: [x, y]\nempty:\n more: no\nmap: {a: b}\nnull: ~\nn: 5");
        let text = |key: &str| node.get(key).and_then(Node::as_text).map(str::to_owned);
        assert_eq!(text("name").as_deref(), Some("\"a"));
        assert!(matches!(node.get("description").map(|node| &node.value), Some(Value::List(_))));
        assert_eq!(text("empty").as_deref(), Some(""));
        assert_eq!(text("more"), None);
        assert_eq!(text("map").as_deref(), Some("{a: b}"));
        assert_eq!(text("null").as_deref(), Some("~"));
        let source = "x: 1\ndescription:  say: so\n";
        let read = read_lines(source);
        assert_eq!(&source[read.get("description").unwrap().span.clone()], "say: so");
    }
}
