//! One way of reading skill files: a host's rules, and what they have in common with those of other hosts.

use std::borrow::Cow;

use super::plain::Keys;
use crate::host::ParseRules;

/// Rules for reading, and which of several readings it takes its fields with.
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
