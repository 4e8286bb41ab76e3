//! The order of a plugin's versions in a cache.

use std::cmp::Ordering;

/// Compares the names of version folders: `local` is the highest, versions compare by number, other names as text.
///
/// The `semver` crate would change which folder is found: it orders candidates such as `rc.9` and `rc.10` by number.
pub(super) fn compare_versions(left: &str, right: &str) -> Ordering {
    match (left == "local", right == "local") {
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        _ => match (parse_version(left), parse_version(right)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => left.cmp(right),
        },
    }
}

/// Parses `1.2.3`, `1.2.3-rc.1`, `1.2.3+build`; a release is higher than its candidates.
fn parse_version(text: &str) -> Option<([u64; 3], bool, String)> {
    let text = text.split('+').next()?;
    let (numbers, candidate) = text.split_once('-').map_or((text, None), |(numbers, rest)| (numbers, Some(rest)));
    let parsed: Option<Vec<u64>> = numbers.split('.').map(|part| part.parse().ok()).collect();
    let numbers: [u64; 3] = parsed?.try_into().ok()?;
    Some((numbers, candidate.is_none(), candidate.unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        let highest = |versions: &[&str]| {
            versions.iter().copied().max_by(|left, right| compare_versions(left, right)).map(str::to_owned)
        };
        assert_eq!(highest(&["1.9.0", "1.10.0"]).as_deref(), Some("1.10.0"));
        assert_eq!(highest(&["1.9.9", "2.0.0-rc.1"]).as_deref(), Some("2.0.0-rc.1"));
        assert_eq!(highest(&["2.0.0-rc.1", "2.0.0"]).as_deref(), Some("2.0.0"));
        assert_eq!(highest(&["9.0.0", "local"]).as_deref(), Some("local"));
    }
}
