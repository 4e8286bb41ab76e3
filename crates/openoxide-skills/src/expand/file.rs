//! Finds names of files in a text: `@path`.

use std::ops::Range;

use crate::host::{FileNameEnd, FileRules, FileStart};

/// Reads the name whose mark stands at a place: where the whole stands, and the path in it.
///
/// If there is none, the error is the place to go on from.
pub(super) fn at(text: &str, at: usize, rules: &FileRules) -> Result<(Range<usize>, Range<usize>), usize> {
    let before = text[..at].chars().next_back();
    let starts = match rules.before {
        FileStart::Space => before.is_none_or(char::is_whitespace),
        FileStart::NoWord => !before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '`')),
    };
    let start = at + 1;
    if !starts {
        return Err(start);
    }
    if let Some(inner) = text[start..].strip_prefix('"').filter(|_| rules.quoted) {
        let end = inner.find(['"', '\n']).filter(|end| *end > 0 && inner[*end..].starts_with('"'));
        let end = start + 1 + end.ok_or(start)?;
        return Ok((at..end + 1, start + 1..end));
    }
    let (length, seen) = length(&text[start..], rules);
    let end = start + length;
    if length > 0 { Ok((at..end, start..end)) } else { Err(start + seen) }
}

/// Returns the length of a name, and how much of the text was looked at.
fn length(text: &str, rules: &FileRules) -> (usize, usize) {
    let ends = |c: char| c.is_whitespace() || rules.ends.contains(c);
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let dangling = || c == '.' && at > 0 && next.is_none_or(|next| ends(next) || next == '.');
        if ends(c) || (rules.keeps == FileNameEnd::InnerDots && dangling()) {
            return (end, at);
        }
        if rules.keeps != FileNameEnd::Word || c == '_' || c.is_ascii_alphanumeric() {
            end = at + c.len_utf8();
        }
    }
    (end, text.len())
}
