//! Reads one file for several hosts: what their rules agree on is read once.

use std::{borrow::Cow, sync::Arc};

use super::parsed::{Head, Parsed, Reading};
use super::{cache::Trees, fields::taken_alike, plain::Keys, reader::parse};
use crate::host::{ParseRules, Utf8};

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
