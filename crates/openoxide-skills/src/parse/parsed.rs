//! The input and the output of reading a skill file: its head, and what it says.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::skill::Frontmatter;

/// What a skill file says, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The name that counts, before any prefix.
    pub name: Arc<str>,
    /// The frontmatter's name, which need not be the one that counts.
    pub own_name: Option<Arc<str>>,
    /// The description that counts.
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

/// The first bytes of a skill file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    pub(crate) bytes: &'a [u8],
    /// The bytes as text, if they are that.
    pub(crate) text: Option<&'a str>,
    /// Whether `bytes` is the whole file.
    pub(crate) whole: bool,
    /// What the skill is called by its place.
    pub(crate) folder: &'a str,
    /// The same with links resolved.
    pub(crate) real_folder: &'a str,
}

/// The frontmatter's text inside the file's.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) file: &'t str,
    /// Where the YAML begins in the file.
    pub(super) offset: usize,
}

impl Source<'_> {
    pub(super) fn span(self, span: &Range<usize>) -> Range<usize> {
        self.offset + span.start..self.offset + span.end
    }
}
