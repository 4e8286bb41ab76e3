//! Matches wildcard patterns: `*` is any run, `?` one UTF-16 unit, and a final ` *` is optional.
//!
//! No glob crate counts UTF-16 units or makes a final ` *` optional, as the programs do whose rules these are.

use std::path::Path;

/// Returns whether a whole text matches a pattern. Case matters; `\` and `/` are the same.
///
/// ```
/// use openoxide_permissions::wildcard;
///
/// assert!(wildcard("git log *", "git log"));
/// assert!(!wildcard("git log *", "git logs"));
/// ```
pub fn wildcard(pattern: &str, text: &str) -> bool {
    // Every skill is compared with every rule, and most rules have a plain word or `*`: these need no copies.
    if pattern == "*" {
        return true;
    }
    if !pattern.contains(['*', '?', '\\']) && !text.contains('\\') {
        return pattern == text;
    }
    wildcard_shell(&pattern.replace('\\', "/"), &text.replace('\\', "/"))
}

/// Does the same, but distinguishes `\` from `/`, as a shell does.
pub(crate) fn wildcard_shell(pattern: &str, text: &str) -> bool {
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let (whole, text) = (units(pattern), units(text));
    let is_short = || pattern.strip_suffix(" *").is_some_and(|short| wild(&units(short), &text));
    wild(&whole, &text) || is_short()
}

/// Replaces a leading `~` or `$HOME` with the user's home.
pub fn expand_home(pattern: &str, home: Option<&Path>) -> String {
    let rest = match pattern.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Some(rest),
        _ => pattern.strip_prefix("$HOME"),
    };
    match (rest, home) {
        (Some(rest), Some(home)) => format!("{}{rest}", home.display()),
        _ => pattern.to_owned(),
    }
}

/// Compares from left to right. After a mismatch the last `*` takes one unit more, so the cost stays quadratic.
fn wild(pattern: &[u16], text: &[u16]) -> bool {
    let (star, any) = (u16::from(b'*'), u16::from(b'?'));
    let (mut at, mut next) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(next) {
            Some(&unit) if unit == star => {
                retry = Some((at, next + 1));
                next += 1;
            }
            Some(&unit) if unit == any || unit == text[at] => (at, next) = (at + 1, next + 1),
            _ => match retry {
                Some((from, after)) => {
                    retry = Some((from + 1, after));
                    (at, next) = (from + 1, after);
                }
                None => return false,
            },
        }
    }
    pattern[next..].iter().all(|unit| *unit == star)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns() {
        let yes = [
            ("deploy-web", "deploy-*"),
            ("", "*"),
            ("a/b\nc", "*"),
            ("abc", "a?c"),
            ("😀", "??"),
            ("a\\b", "a/b"),
            ("a/b", "a\\b"),
            ("ls", "ls *"),
            ("ls ", "ls *"),
            ("ls -la", "ls *"),
            ("aXbXc", "a*b*c"),
            ("a[1]", "a[1]"),
            ("", " *"),
        ];
        for (text, pattern) in yes {
            assert!(wildcard(pattern, text), "{text:?} {pattern:?}");
        }
        let no = [("deploy", "deploy-*"), ("lsx", "ls *"), ("😀", "?"), ("A", "a"), ("ab", "a"), ("git", "git * *")];
        for (text, pattern) in no {
            assert!(!wildcard(pattern, text), "{text:?} {pattern:?}");
        }
    }

    #[test]
    fn homes_in_patterns() {
        let home = Some(Path::new("/h"));
        let rows =
            [("~/x", "/h/x"), ("~", "/h"), ("~x", "~x"), ("$HOME/x", "/h/x"), ("$HOMEx", "/hx"), ("a~/x", "a~/x")];
        for (pattern, expected) in rows {
            assert_eq!(expand_home(pattern, home), expected);
        }
        assert_eq!(expand_home("~/x", None), "~/x");
    }

    /// The definition, written down without regard to cost.
    fn naive(pattern: &[u16], text: &[u16]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, rest) => rest.is_none(),
            (Some((42, after)), rest) => naive(after, text) || rest.is_some_and(|(_, rest)| naive(pattern, rest)),
            (Some((63, after)), Some((_, rest))) => naive(after, rest),
            (Some((unit, after)), Some((first, rest))) => unit == first && naive(after, rest),
            (Some(_), None) => false,
        }
    }

    fn naively(pattern: &str, text: &str) -> bool {
        let units = |text: &str| text.replace('\\', "/").encode_utf16().collect::<Vec<u16>>();
        let text = units(text);
        naive(&units(pattern), &text) || pattern.strip_suffix(" *").is_some_and(|short| naive(&units(short), &text))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn the_matcher_does_what_the_naive_one_does(pattern in "[ab *?/\\\\😀\n]{0,9}", text in "[ab /\\\\😀\n]{0,9}") {
            prop_assert_eq!(wildcard(&pattern, &text), naively(&pattern, &text));
        }

        #[test]
        fn a_pattern_without_signs_matches_itself_alone(pattern in "[ab .\\[]{1,6}", text in "[ab .\\[]{1,6}") {
            prop_assert_eq!(wildcard(&pattern, &text), pattern == text);
        }
    }

    #[test]
    fn many_stars_do_not_take_forever() {
        let (pattern, text) = ("*a".repeat(500) + "b", "a".repeat(20_000));
        assert!(!wildcard(&pattern, &text));
    }
}
