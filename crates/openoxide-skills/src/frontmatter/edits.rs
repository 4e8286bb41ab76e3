//! Text with some places replaced, and the way back from a place in it to the original.

use std::ops::Range;

/// Text after some edits, and the edits themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditedText {
    pub(crate) text: String,
    pub(crate) edits: Vec<(Range<usize>, String)>,
}

impl EditedText {
    /// Applies edits, which must be in order and must not overlap.
    pub(crate) fn new(text: &str, edits: Vec<(Range<usize>, String)>) -> EditedText {
        EditedText { text: apply(text, &edits), edits }
    }

    /// Returns the place in the original that a place in the edited text came from.
    pub(crate) fn original(&self, at: usize) -> usize {
        // How much was added, and how much was taken away, before the place.
        let (mut added, mut removed) = (0, 0);
        for (range, replacement) in &self.edits {
            let start = range.start + added - removed;
            if at < start || (at == start && replacement.is_empty()) {
                break;
            }
            if at <= start + replacement.len() {
                return range.end.min(range.start + (at - start));
            }
            added += replacement.len();
            removed += range.len();
        }
        at + removed - added
    }
}

/// Returns edits that turn tabs into two spaces, except inside some places.
pub(crate) fn soft_tabs(text: &str, except: &[(Range<usize>, String)]) -> Vec<(Range<usize>, String)> {
    let tabs = text.match_indices('\t').map(|(at, _)| at);
    tabs.filter(|at| !except.iter().any(|(range, _)| range.contains(at)))
        .map(|at| (at..at + 1, "  ".to_owned()))
        .collect()
}

pub(super) fn apply(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut result = String::with_capacity(text.len() + edits.len() * 4);
    let mut at = 0;
    for (range, replacement) in edits {
        result.push_str(&text[at..range.start]);
        result.push_str(replacement);
        at = range.end;
    }
    result.push_str(&text[at..]);
    result
}
