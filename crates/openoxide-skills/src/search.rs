//! Finds skills by words: ranks them by how well their names and descriptions match.
//!
//! The measure is BM25F: a word weighs more the fewer skills have it, a match in a name more than one in a description,
//! and in a short text more than in a long one. A skill whose name is exactly what was asked for comes first.
//! It is written here because a catalog is small and changes often: search engines bring an index that must be stored.

use std::{cmp::Ordering, collections::HashMap};

use crate::catalog::Entry;

/// Most bytes of a query that are looked at.
pub const QUERY_MAX: usize = 1024;
/// Most words of a query that are used.
const WORDS_MAX: usize = 32;
/// How soon more of the same word adds nothing.
const K1: f64 = 1.2;
/// How much the length of a text matters.
const B: f64 = 0.75;
/// How much a match weighs in each field: names, description.
const WEIGHTS: [f64; 2] = [8.0, 4.0];

/// A skill that was found.
#[derive(Clone, Copy, Debug)]
pub struct SearchHit<'c> {
    /// The skill.
    pub entry: &'c Entry,
    /// How well it matches; larger is better.
    pub score: f64,
}

/// Finds the skills that match a query, best first; equals stand by name and path.
pub fn search<'c>(entries: impl IntoIterator<Item = &'c Entry>, query: &str, most: usize) -> Vec<SearchHit<'c>> {
    let query = &query[..query.floor_char_boundary(QUERY_MAX)];
    let mut terms = words(query);
    terms.truncate(WORDS_MAX);
    terms.sort_unstable();
    terms.dedup();
    let index = Index::new(entries.into_iter().map(Document::of).collect());
    let weighted: Vec<(&String, f64)> = terms.iter().map(|word| (word, index.rarity(word))).collect();
    let named = query.trim();
    let mut hits: Vec<(bool, SearchHit<'c>)> = Vec::new();
    for document in &index.documents {
        let exact = is_named(document.entry, named);
        let score = weighted.iter().map(|(word, weight)| weight * index.saturated(document, word)).sum();
        if exact || score > 0.0 {
            hits.push((exact, SearchHit { entry: document.entry, score }));
        }
    }
    hits.sort_by(|left, right| better(left, right));
    hits.into_iter().map(|(_, hit)| hit).take(most).collect()
}

fn better((left_exact, left): &(bool, SearchHit<'_>), (right_exact, right): &(bool, SearchHit<'_>)) -> Ordering {
    let (left_skill, right_skill) = (&left.entry.skill, &right.entry.skill);
    let scores = right_exact.cmp(left_exact).then_with(|| right.score.total_cmp(&left.score));
    scores.then_with(|| (&left_skill.name, &left_skill.path).cmp(&(&right_skill.name, &right_skill.path)))
}

fn is_named(entry: &Entry, query: &str) -> bool {
    let is_it = |name: &str| name.eq_ignore_ascii_case(query);
    is_it(&entry.skill.name) || entry.aliases.iter().any(|alias| is_it(alias))
}

/// Takes a text apart: runs of letters and digits in lower case; each sign of a script without blanks is a word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for sign in text.chars().flat_map(char::to_lowercase) {
        let alone = stands_alone(sign);
        if !sign.is_alphanumeric() {
            open = false;
        } else if let (true, false, Some(word)) = (open, alone, words.last_mut()) {
            word.push(sign);
        } else {
            words.push(sign.to_string());
            open = !alone;
        }
    }
    words
}

/// Tells whether a sign is of a script that puts no blanks between words.
fn stands_alone(sign: char) -> bool {
    matches!(u32::from(sign), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn count(items: impl IntoIterator) -> f64 {
    items.into_iter().fold(0.0, |sum, _| sum + 1.0)
}

/// A skill's words by field: names, description.
struct Document<'c> {
    entry: &'c Entry,
    counts: [HashMap<String, f64>; 2],
    lengths: [f64; 2],
}

impl<'c> Document<'c> {
    fn of(entry: &'c Entry) -> Document<'c> {
        let mut names = words(&entry.skill.name);
        names.extend(entry.aliases.iter().flat_map(|alias| words(alias)));
        // What the model is not shown cannot be found out by asking for it.
        let description = if entry.name_only { Vec::new() } else { words(&entry.skill.description) };
        let fields = [names, description];
        let lengths = fields.each_ref().map(count);
        let counts = fields.map(|field| {
            let mut counts: HashMap<String, f64> = HashMap::new();
            for word in field {
                *counts.entry(word).or_default() += 1.0;
            }
            counts
        });
        Document { entry, counts, lengths }
    }

    fn has(&self, word: &str) -> bool {
        self.counts.iter().any(|counts| counts.contains_key(word))
    }
}

/// All documents, and how long each field is on average.
struct Index<'c> {
    documents: Vec<Document<'c>>,
    number: f64,
    averages: [f64; 2],
}

impl<'c> Index<'c> {
    fn new(documents: Vec<Document<'c>>) -> Index<'c> {
        let number = count(&documents);
        let average = |field: usize| documents.iter().map(|document| document.lengths[field]).sum::<f64>() / number;
        let averages = [average(0), average(1)];
        Index { documents, number, averages }
    }

    /// How rare a word is.
    fn rarity(&self, word: &str) -> f64 {
        let having = count(self.documents.iter().filter(|document| document.has(word)));
        (1.0 + (self.number - having + 0.5) / (having + 0.5)).ln()
    }

    /// How much of a word there is in a document, over all fields.
    fn saturated(&self, document: &Document<'_>, word: &str) -> f64 {
        let mut amount = 0.0;
        for (field, weight) in WEIGHTS.iter().enumerate() {
            let Some(count) = document.counts[field].get(word) else { continue };
            let length = document.lengths[field] / self.averages[field].max(1.0);
            amount += weight * count / (1.0 - B + B * length);
        }
        amount / (K1 + amount)
    }
}

#[cfg(test)]
mod tests;
