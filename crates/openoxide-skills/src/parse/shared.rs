//! One file read for several hosts: what they agree on is read once.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::fields::{Collected, taken_alike};
use super::plain::Keys;
use super::{Head, Parsed, parse};
use crate::frontmatter::{self, Split};
use crate::host::{Clean, FenceRules, ParseRules, Utf8};
use crate::yaml::{self, Node, YamlError};

/// Rules for reading, and which of several readings it takes its fields with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading<'r> {
    pub(crate) rules: Cow<'r, ParseRules>,
    /// The same number for hosts that take the same fields out of the same YAML.
    pub(crate) group: usize,
    /// The standard's keys that it reads.
    pub(crate) keys: Keys,
}

/// Every way in which hosts read a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Readings(Vec<Reading<'static>>);

impl Readings {
    /// Adds a host's way, unless it is there.
    pub(crate) fn add(&mut self, rules: &ParseRules) {
        if self.0.iter().any(|reading| *reading.rules == *rules) {
            return;
        }
        let alike = |reading: &Reading<'_>| taken_alike(&reading.rules, rules);
        let group = self.0.iter().position(alike).unwrap_or(self.0.len());
        self.0.push(Reading { rules: Cow::Owned(rules.clone()), group, keys: Keys::read_by(rules) });
    }

    /// Returns which of the ways is a host's.
    pub(crate) fn position(&self, rules: &ParseRules) -> usize {
        self.0.iter().position(|reading| *reading.rules == *rules).unwrap_or(0)
    }

    /// Tells whether a host must see the whole file.
    pub(crate) fn need_whole(&self) -> bool {
        self.0.iter().any(|reading| reading.rules.utf8 == Utf8::File)
    }

    /// Reads a head in every way; what says the same is there once. Nothing: more of the file is needed.
    pub(crate) fn read(&self, head: Head<'_>) -> Option<Vec<Arc<Parsed>>> {
        let mut trees = Trees::default();
        let mut all: Vec<Arc<Parsed>> = Vec::with_capacity(self.0.len());
        for reading in &self.0 {
            let parsed = parse(head, reading, &mut trees)?;
            let known = all.iter().find(|known| is_same(known, &parsed)).cloned();
            all.push(known.unwrap_or_else(|| Arc::new(parsed)));
        }
        Some(all)
    }
}

/// Tells whether two readings say the same, without looking into fields that were taken apart twice.
fn is_same(left: &Parsed, right: &Parsed) -> bool {
    Arc::ptr_eq(&left.frontmatter, &right.frontmatter)
        && left.name == right.name
        && left.description == right.description
        && left.own_name == right.own_name
        && left.described == right.described
        && left.problems.is_empty()
        && right.problems.is_empty()
}

impl<'r> Reading<'r> {
    /// Returns a reading that shares nothing.
    pub(crate) fn alone(rules: &'r ParseRules) -> Reading<'r> {
        Reading { rules: Cow::Borrowed(rules), group: 0, keys: Keys::read_by(rules) }
    }
}

/// What was read from one text for several hosts: they mostly agree, and need it read once.
#[derive(Default)]
pub(crate) struct Trees<'t> {
    /// Where the frontmatter is, by what is looked for and in how much of the text.
    splits: Vec<(FenceRules, usize, Split)>,
    /// YAML, by where it stands.
    roots: Vec<(Range<usize>, Result<Root<'t>, YamlError>)>,
    /// Fields, by the YAML and the group of rules that they were taken with.
    fields: Taken,
}

/// YAML, and the standard's keys in it if it is read alike by all.
pub(super) struct Root<'t> {
    pub(super) node: Node<'t>,
    pub(super) plain: Option<Keys>,
}

/// Fields, by where their YAML stands and the rules that they were taken with.
pub(super) type Taken = Vec<(Range<usize>, Alike, Collected)>;

/// What readings have in common that take the same fields out of the same YAML.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    /// The group of their rules.
    Rules(usize),
    /// The keys that they read of plain frontmatter, and how texts are cleaned.
    Plain(Keys, Clean),
}

impl<'t> Trees<'t> {
    /// Finds the frontmatter; what stands before a shorter text is a byte-order mark.
    pub(super) fn split(&mut self, text: &str, fence: FenceRules) -> Split {
        let known = self.splits.iter().find(|(known, length, _)| *known == fence && *length == text.len());
        if let Some((.., split)) = known {
            return split.clone();
        }
        let split = frontmatter::split(text, fence);
        self.splits.push((fence, text.len(), split.clone()));
        split
    }

    pub(super) fn read(&mut self, file: &'t str, range: Range<usize>) -> (&Result<Root<'t>, YamlError>, &mut Taken) {
        let known = self.roots.iter().position(|(known, _)| *known == range);
        let at = known.unwrap_or_else(|| {
            let root = yaml::parse(&file[range.clone()]).map(|node| Root { plain: Keys::of_plain(&node), node });
            self.roots.push((range, root));
            self.roots.len() - 1
        });
        (&self.roots[at].1, &mut self.fields)
    }
}
