//! Tells which places of a text are code, asked for from left to right.

use std::ops::Range;

use crate::text::markdown::{self, Escapes, FencePlace, MarkdownRules};

/// As the programs have it that pass over names in code.
const RULES: MarkdownRules =
    MarkdownRules { fences: FencePlace::Margin, escapes: Escapes::LoneBacktick, comments: false };

/// The parts of a text that are code.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// In order, without overlap.
    ranges: Vec<Range<usize>>,
    /// The first range that does not lie behind us.
    next: usize,
}

impl Code {
    /// Finds the code in a text. A fence that is not closed goes on to the end.
    pub(super) fn find(text: &str) -> Code {
        let regions = markdown::regions(text, RULES, |_| None);
        Code { ranges: regions.into_iter().map(|region| region.span).collect(), next: 0 }
    }

    /// Tells whether a place is code; places must be asked for in order.
    pub(super) fn holds(&mut self, at: usize) -> bool {
        while self.ranges.get(self.next).is_some_and(|range| range.end <= at) {
            self.next += 1;
        }
        self.ranges.get(self.next).is_some_and(|range| range.contains(&at))
    }
}
