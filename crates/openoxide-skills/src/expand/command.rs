//! Finds commands in a text: an exclamation mark before backticks.

use std::ops::Range;

use crate::host::{BlockForm, InlinePlace, ShellRules};
use crate::text::markdown::{Fence, Region, RegionKind};

/// A command in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The whole mark.
    pub(super) span: Range<usize>,
    /// The command in it.
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
