//! Finds the words nearest to a misspelled one.

/// Returns the words nearest to `word`, best first: at most three, and none that is far away.
pub fn near<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let mut scored: Vec<(usize, &str)> = choices
        .into_iter()
        .map(|choice| (distance(&word.to_lowercase(), &choice.to_lowercase()), choice))
        .filter(|(score, _)| *score <= limit)
        .collect();
    scored.sort_unstable();
    scored.into_iter().map(|(_, choice)| choice).take(3).collect()
}

/// Counts insertions, deletions, replacements and swaps of neighbors between two words.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().take(64).collect(), right.chars().take(64).collect());
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[left.len()][right.len()]
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
