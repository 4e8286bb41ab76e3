//! Finds the words nearest to a misspelled one.

/// Returns the words nearest to `word`, best first: at most three, and none that is far away.
pub fn near<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let mut scored: Vec<(usize, &str)> = choices
        .into_iter()
        .map(|choice| (distance(word, choice), choice))
        .filter(|(score, _)| *score <= limit)
        .collect();
    scored.sort_unstable();
    scored.into_iter().map(|(_, choice)| choice).take(3).collect()
}

/// Counts insertions, deletions, replacements and swaps of neighbors between two words, in any case of letters.
fn distance(left: &str, right: &str) -> usize {
    let start = |word: &str| word.to_lowercase().chars().take(64).collect::<String>();
    strsim::osa_distance(&start(left), &start(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        assert_eq!(near("relase-notes", ["deploy", "release-notes"]), ["release-notes"]);
        assert_eq!(near("dpeloy", ["deploy"]), ["deploy"]);
        assert!(near("xyz", ["deploy"]).is_empty());
    }
}
