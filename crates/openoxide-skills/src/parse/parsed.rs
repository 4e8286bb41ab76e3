//! The input and the output of reading a skill file: its head, a host's rules, and what it says.

use std::{borrow::Cow, ops::Range, str::Utf8Error, sync::Arc};

use super::plain::Keys;
use crate::diagnostic::{Code, Diagnostic};
use crate::{host::ParseRules, skill::Frontmatter};

/// What a skill file says, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The skill's name, before any prefix.
    pub name: Arc<str>,
    /// The frontmatter's name, which need not be the skill's name.
    pub own_name: Option<Arc<str>>,
    /// The skill's description.
    pub description: Arc<str>,
    /// Whether the description is the file's own, not a stand-in.
    pub described: bool,
    /// The fields.
    pub frontmatter: Arc<Frontmatter>,
    /// Findings, in reading order.
    pub problems: Vec<Diagnostic>,
}

impl Parsed {
    /// Returns the finding that keeps the skill from counting.
    pub fn invalid(&self) -> Option<&Diagnostic> {
        self.problems.iter().find(|problem| problem.is_error())
    }
}

/// Most of a file that is looked at: where the whole of it must be text, or is checked, or where a frontmatter that does
/// not end is none.
pub const PREFIX_MAX: usize = 1024 * 1024;

/// The beginning of a skill file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) text: std::result::Result<&'a str, Utf8Error>,
    /// Whether `bytes` is the whole file.
    pub(crate) whole: bool,
    /// What the skill is called by its place.
    pub(crate) folder: &'a str,
    /// The same with links resolved.
    pub(crate) real_folder: &'a str,
}

/// One way of reading skill files: a host's rules, and what they have in common with those of other hosts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading<'r> {
    pub(crate) rules: Cow<'r, ParseRules>,
    /// The same number for hosts that take the same fields out of the same YAML.
    pub(crate) group: usize,
    /// The standard's keys that it reads.
    pub(crate) keys: Keys,
}

impl<'r> Reading<'r> {
    /// Returns a reading that shares nothing.
    pub(crate) fn alone(rules: &'r ParseRules) -> Reading<'r> {
        Reading { rules: Cow::Borrowed(rules), group: 0, keys: Keys::read_by(rules) }
    }
}

/// The frontmatter's text inside the file's.
#[derive(Clone, Copy, Default)]
pub(super) struct Source<'t> {
    pub(super) file: &'t str,
    /// Where the YAML begins in the file.
    pub(super) offset: usize,
    /// The YAML.
    pub(super) text: &'t str,
}

/// What a file is refused with is a finding.
pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

impl Source<'_> {
    pub(super) fn span(self, span: &Range<usize>) -> Range<usize> {
        self.offset + span.start..self.offset + span.end
    }

    pub(super) fn error(self, span: &Range<usize>, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, message).at(self.file, self.span(span))
    }
}
