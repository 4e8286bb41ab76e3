//! Finds what the default rules leave alone in a text: code and comments, and among them fences that are commands.

use std::ops::Range;

use super::command;
use crate::host::{BlockForm, ShellRules};
use crate::text::markdown::{self, Escapes, Fence, FencePlace, MarkdownRules};

/// Code is found wherever any program might see it: what is taken for code is left alone, and nothing in it is run.
const RULES: MarkdownRules =
    MarkdownRules { fences: FencePlace::Anywhere, escapes: Escapes::AnyCharacter, comments: true };

/// A part of a text that is not prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// Where it stands.
    pub(super) span: Range<usize>,
    pub(super) kind: RegionKind,
}

/// What a part of a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RegionKind {
    /// A code span or a code fence.
    Code,
    /// A comment.
    Comment,
    /// A fence whose content is a command, and where that stands.
    Command(Range<usize>),
}

/// Finds all regions of a text, in order; they do not overlap.
pub(super) fn regions(text: &str, shell: Option<&ShellRules>) -> Vec<Region> {
    let inline_end = |at| Some(command::inline(text, at, shell?)?.span.end);
    let fences_are_commands = shell.is_some_and(|rules| rules.block == BlockForm::Fence);
    let kind = |kind| match kind {
        markdown::RegionKind::Comment => RegionKind::Comment,
        markdown::RegionKind::Span => RegionKind::Code,
        markdown::RegionKind::Fence(fence) => {
            let command = command_in(text, fence).filter(|_| fences_are_commands);
            command.map_or(RegionKind::Code, RegionKind::Command)
        }
    };
    let regions = markdown::regions(text, RULES, inline_end);
    regions.into_iter().map(|region| Region { span: region.span, kind: kind(region.kind) }).collect()
}

/// Returns where the command stands that a fence holds, if its info string says that it is one.
fn command_in(text: &str, fence: Fence) -> Option<Range<usize>> {
    let content = fence.content?;
    let is_command = (fence.mark, &text[fence.info]) == ('`', "!") && !text[content.clone()].trim().is_empty();
    is_command.then_some(content)
}
