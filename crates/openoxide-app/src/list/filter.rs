//! Words that narrow a list: a skill stays if its name or its description contains all of them.

use openoxide_skills::catalog::Entry;

/// Words that narrow a list. Without words, everything stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// In lower case.
    words: Vec<String>,
}

impl ListFilter {
    /// Makes a filter of some words, in any case.
    pub fn new(words: &[String]) -> ListFilter {
        let parts = words.iter().flat_map(|word| word.split_whitespace());
        ListFilter { words: parts.map(str::to_lowercase).collect() }
    }

    /// Tells whether it keeps everything.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Tells whether an entry stays.
    pub fn keeps(&self, entry: &Entry) -> bool {
        if self.is_empty() {
            return true;
        }
        let (name, description) = (entry.skill.name.to_lowercase(), entry.skill.description.to_lowercase());
        self.words.iter().all(|word| name.contains(word) || description.contains(word))
    }
}
