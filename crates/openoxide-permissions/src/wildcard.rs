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
    // Every skill is compared with every rule, and most rules have a plain word or `*`.
    if pattern == "*" {
        return true;
    }
    if !pattern.contains(['*', '?', '\\']) && !text.contains('\\') {
        return pattern == text;
    }
    compare(pattern, text, |unit| if unit == u16::from(b'\\') { u16::from(b'/') } else { unit })
}

/// Does the same, but distinguishes `\` from `/`, as a shell does.
pub(crate) fn wildcard_shell(pattern: &str, text: &str) -> bool {
    compare(pattern, text, |unit| unit)
}

/// Compares the UTF-16 units of both, each as `plain` takes it, and copies neither: a project can bring very many patterns.
fn compare(pattern: &str, text: &str, plain: fn(u16) -> u16) -> bool {
    let matched = |pattern: &str| wild(pattern.encode_utf16().map(plain), text.encode_utf16().map(plain));
    matched(pattern) || pattern.strip_suffix(" *").is_some_and(matched)
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
fn wild<P, T>(mut pattern: P, mut text: T) -> bool
where
    P: Iterator<Item = u16> + Clone,
    T: Iterator<Item = u16> + Clone,
{
    let (star, any) = (u16::from(b'*'), u16::from(b'?'));
    let mut retry: Option<(T, P)> = None;
    loop {
        let mut after = text.clone();
        let Some(unit) = after.next() else { return pattern.all(|unit| unit == star) };
        match pattern.next() {
            Some(part) if part == star => retry = Some((text.clone(), pattern.clone())),
            Some(part) if part == any || part == unit => text = after,
            _ => match &mut retry {
                Some((from, rest)) => {
                    from.next();
                    (text, pattern) = (from.clone(), rest.clone());
                }
                None => return false,
            },
        }
    }
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
