//! Caches what was read from one text for several hosts: they mostly agree, and need it read once.

use std::ops::Range;

use super::{fields::Collected, plain::Keys};
use crate::frontmatter::{self, Split};
use crate::host::{Clean, FenceRules};
use crate::text::yaml::{self, Node, YamlError};

#[derive(Default)]
pub(crate) struct Trees<'t> {
    /// Where the frontmatter is, by what is looked for and in how much of the text.
    splits: Vec<(FenceRules, usize, Split)>,
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

/// What a reading has in common with others, and the fields that were taken so far.
pub(super) type Known<'k> = (Alike, &'k mut Taken);

/// What readings have in common that take the same fields out of the same YAML.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
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
