//! Counts differences by what they are about, with an example of each.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::shell::say;

/// Differences, counted by the rule that they show: what was listed, the text of the catalog, a recorded file.
#[derive(Debug, Default)]
pub(super) struct Tally {
    kinds: BTreeMap<String, (usize, String)>,
}

impl Tally {
    /// Prints a difference, `KIND: WHAT`, and counts it.
    pub(super) fn add(&mut self, place: &str, difference: &str) {
        let kind = difference.split_once(": ").map_or("other", |(kind, _)| kind);
        let example = format!("{place}: {difference}");
        say(&example);
        self.kinds.entry(kind.to_owned()).or_insert((0, example)).0 += 1;
    }

    /// Takes over what another one counted.
    pub(super) fn join(&mut self, other: Tally) {
        for (kind, (number, example)) in other.kinds {
            self.kinds.entry(kind).or_insert((0, example)).0 += number;
        }
    }

    /// Returns how many differences there are.
    pub(super) fn total(&self) -> usize {
        self.kinds.values().map(|(number, _)| number).sum()
    }

    /// Writes a line for each kind, the most frequent first.
    pub(super) fn summary(&self) -> String {
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, (number, _))| std::cmp::Reverse(*number));
        let mut text = String::new();
        for (kind, (number, example)) in kinds {
            let _ = writeln!(text, "{number:>5}  {kind}, such as {example}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_by_kind() {
        let mut tally = Tally::default();
        tally.add("tree 1", "order: a before b");
        let mut other = Tally::default();
        other.add("tree 2", "listed: only real: c");
        other.add("tree 3", "listed: only ours: d");
        tally.join(other);
        assert_eq!(tally.total(), 3);
        let summary =
            "    2  listed, such as tree 2: listed: only real: c\n    1  order, such as tree 1: order: a before b\n";
        assert_eq!(tally.summary(), summary);
    }
}
