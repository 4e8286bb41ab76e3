//! Finds marks in a text: commands, which are an exclamation mark before backticks, and names of files, `@path`.

use std::ops::Range;

use crate::host::{BlockForm, FileNameEnd, FileRules, FileStart, InlinePlace, ShellRules};
use crate::text::markdown::{Fence, Region, RegionKind};

/// A command in a text, and the whole mark around it.
pub(super) struct Mark {
    pub(super) span: Range<usize>,
    pub(super) command: Range<usize>,
}

/// Finds a command in the line whose exclamation mark stands at a place.
pub(super) fn inline(text: &str, at: usize, rules: &ShellRules) -> Option<Mark> {
    may_stand(&text[..at], rules.inline).then(|| backticked(text, at)).flatten()
}

/// Finds a command whose exclamation mark a backslash takes back, and which could stand where the backslash does.
pub(super) fn escaped(text: &str, at: usize, rules: &ShellRules) -> Option<Mark> {
    let before = text[..at].strip_suffix('\\').filter(|before| !before.ends_with('\\'))?;
    may_stand(before, rules.inline).then(|| backticked(text, at)).flatten()
}

/// Finds a command in a fence whose first backtick stands at a place, whether or not it may stand there.
pub(super) fn block(text: &str, at: usize, rules: &ShellRules) -> Option<Mark> {
    let inner = text[at..].strip_prefix("```!").filter(|_| rules.block != BlockForm::None)?;
    let start = at + "```!".len();
    let end = start + inner.find("```")?;
    (!text[start..end].trim().is_empty()).then(|| Mark { span: at..end + 3, command: start..end })
}

/// Returns the command that a region is: a fence whose info string says so. It may be blank.
pub(super) fn fenced(text: &str, region: &Region, rules: Option<&ShellRules>) -> Option<Mark> {
    rules.filter(|rules| rules.block == BlockForm::Fence)?;
    let RegionKind::Fence(Fence { mark: '`', info, content: Some(content) }) = &region.kind else { return None };
    (&text[info.clone()] == "!").then(|| Mark { span: region.span.clone(), command: content.clone() })
}

fn may_stand(before: &str, place: InlinePlace) -> bool {
    match place {
        InlinePlace::Anywhere => true,
        InlinePlace::Nowhere => false,
        InlinePlace::AfterSpace => before.chars().next_back().is_none_or(char::is_whitespace),
    }
}

/// Finds the first closing backtick; nothing in between can be escaped.
fn backticked(text: &str, at: usize) -> Option<Mark> {
    let inner = text[at..].strip_prefix("!`")?;
    let start = at + 2;
    let end = start + inner.find('`')?;
    (!text[start..end].trim().is_empty()).then(|| Mark { span: at..end + 1, command: start..end })
}

/// Reads the name whose mark stands at a place: where the whole stands, and the path in it.
///
/// If there is none, the error is the place to go on from.
pub(super) fn file(text: &str, at: usize, rules: &FileRules) -> Result<(Range<usize>, Range<usize>), usize> {
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
