//! Patterns of names: `*`, `**`, `?`, `[a-z]`, `{a,b}`, a leading `!`, and `\` before a character that means itself.
//!
//! They match a whole name, case matters, and `*` and `?` stop at `/`. A pattern that is not one matches nothing.
//! `globset` has no leading `!` and reads braces and `*` in other ways; the tests state what the program followed answers.

/// Steps that one comparison may take; patterns that need more match nothing.
const MAX_STEPS: usize = 100_000;
/// Longest pattern and longest name that are compared: each `*` and `{` takes room on the stack.
const MAX_LENGTH: usize = 1024;

pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    if pattern.len() > MAX_LENGTH || name.len() > MAX_LENGTH {
        return false;
    }
    let bare = pattern.trim_start_matches('!');
    let length = pattern.len();
    let negated = (length - bare.len()) % 2 == 1;
    let (pattern, name): (Vec<char>, Vec<char>) = (bare.chars().collect(), name.chars().collect());
    let mut matcher = Matcher { steps: 0 };
    let matched = matcher.here(&pattern, &name, bare.len() == length);
    matched != negated && matcher.steps < MAX_STEPS
}

struct Matcher {
    steps: usize,
}

impl Matcher {
    /// Matches a pattern from here on; `fresh` tells whether the pattern begins here, or a part of it after a `/`.
    fn here(&mut self, mut pattern: &[char], mut name: &[char], mut fresh: bool) -> bool {
        loop {
            self.steps += 1;
            if self.steps >= MAX_STEPS {
                return false;
            }
            match pattern.split_first() {
                None => return name.is_empty(),
                Some(('*', _)) => return self.star(pattern, name, fresh),
                Some(('{', rest)) => return self.braces(rest, name),
                Some((first, _)) => {
                    let Some((pattern_rest, name_rest)) = one(pattern, name) else { return false };
                    fresh = *first == '/';
                    (pattern, name) = (pattern_rest, name_rest);
                }
            }
        }
    }

    fn star(&mut self, pattern: &[char], name: &[char], fresh: bool) -> bool {
        let stars = pattern.iter().take_while(|&&character| character == '*').count();
        let rest = &pattern[stars..];
        let crosses = stars == 2 && fresh && matches!(rest.first(), None | Some('/'));
        if crosses {
            return self.cross(rest, name);
        }
        let reach = name.iter().position(|&character| character == '/').unwrap_or(name.len());
        (0..=reach).any(|taken| self.here(rest, &name[taken..], false))
    }

    /// Matches `**` and what follows: any number of whole parts, none included.
    fn cross(&mut self, rest: &[char], name: &[char]) -> bool {
        let Some((_, after)) = rest.split_first() else { return true };
        let starts =
            std::iter::once(0).chain(name.iter().enumerate().filter(|(_, c)| **c == '/').map(|(at, _)| at + 1));
        starts.collect::<Vec<_>>().into_iter().any(|start| self.here(after, &name[start..], true))
    }

    fn braces(&mut self, rest: &[char], name: &[char]) -> bool {
        let Some((branches, after)) = split_braces(rest) else { return false };
        branches.into_iter().any(|branch| self.here(&[branch, after].concat(), name, false))
    }
}

/// Matches one character; returns what is left of both.
fn one<'p, 'n>(pattern: &'p [char], name: &'n [char]) -> Option<(&'p [char], &'n [char])> {
    let (&character, name_rest) = name.split_first()?;
    let (&first, rest) = pattern.split_first()?;
    match first {
        '?' => (character != '/').then_some((rest, name_rest)),
        '[' => {
            let (matched, rest) = class(rest, character)?;
            matched.then_some((rest, name_rest))
        }
        '\\' => {
            let (&literal, rest) = rest.split_first()?;
            (literal == character).then_some((rest, name_rest))
        }
        _ => (first == character).then_some((rest, name_rest)),
    }
}

/// Reads a class after its `[`; returns whether it has the character, and what follows it.
fn class(pattern: &[char], character: char) -> Option<(bool, &[char])> {
    let negated = matches!(pattern.first(), Some('!' | '^'));
    let mut rest = if negated { &pattern[1..] } else { pattern };
    let (mut found, mut is_first) = (false, true);
    loop {
        let (&low, after) = rest.split_first()?;
        if low == ']' && !is_first {
            return Some((found != negated, after));
        }
        is_first = false;
        let (low, after) = literal(low, after)?;
        let (high, after) = match after {
            ['-', end, more @ ..] if *end != ']' => literal(*end, more)?,
            _ => (low, after),
        };
        found |= (low..=high).contains(&character);
        rest = after;
    }
}

fn literal(character: char, rest: &[char]) -> Option<(char, &[char])> {
    match character {
        '\\' => rest.split_first().map(|(&character, rest)| (character, rest)),
        _ => Some((character, rest)),
    }
}

/// Splits what follows a `{` into its branches and what comes after the `}`.
fn split_braces(pattern: &[char]) -> Option<(Vec<&[char]>, &[char])> {
    let (mut depth, mut start, mut at) = (0_usize, 0, 0);
    let mut branches = Vec::new();
    let mut in_class = false;
    while at < pattern.len() {
        match pattern[at] {
            '\\' => at += 1,
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' => {
                branches.push(&pattern[start..at]);
                return Some((branches, &pattern[at + 1..]));
            }
            ',' if depth == 0 => {
                branches.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a program that uses such patterns answers.
    #[test]
    fn patterns_match_whole_names() {
        let rows = [
            ("pdf", "pdf", true),
            ("pdf", "PDF", false),
            ("pdf", "pdf-x", false),
            ("*", "pdf", true),
            ("*", "a/b", false),
            ("*", ".x", true),
            ("*", "", true),
            ("pdf-*", "pdf-", true),
            ("pdf-*", "pdf-a/b", false),
            ("**", "a/b", true),
            ("**/b", "a/b", true),
            ("**/b", "b", true),
            ("a/**", "a/b/c", true),
            ("?", "é", true),
            ("?", "", false),
            ("?", "ab", false),
            ("[12]", "2", true),
            ("[0-9]", "5", true),
            ("[!1]", "2", true),
            ("[^1]", "1", false),
            ("{a,b}-x", "b-x", true),
            ("{a,{b,c}}", "c", true),
            ("{a,b}", "c", false),
            ("{pdf,}", "", true),
            ("!pdf", "pdf", false),
            ("!pdf", "docx", true),
            ("!!pdf", "pdf", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a:b", "a:b", true),
            ("+(a)", "a", false),
            ("@(a|b)", "a", false),
            ("a,b", "a", false),
            ("a,b", "a,b", true),
            (" pdf", "pdf", false),
            ("p*f", "pdf", true),
            ("*-*", "a-b-c", true),
            ("[a", "[a", false),
            ("{a*,b}c", "axc", true),
        ];
        for (pattern, name, expected) in rows {
            assert_eq!(matches(pattern, name), expected, "{pattern:?} {name:?}");
        }
    }

    #[test]
    fn long_work_is_cut_short() {
        // Nothing matches `b`, so the whole would match; but nobody waits until that is known.
        let pattern = format!("!{}b", "{a*,*a,**}".repeat(40));
        assert!(!matches(&pattern, &"a".repeat(200)));
    }

    #[test]
    fn long_patterns_and_names_match_nothing() {
        assert!(matches(&"?".repeat(1000), &"a".repeat(1000)));
        assert!(matches(&"{a}".repeat(300), &"a".repeat(300)));
        assert!(!matches(&"?".repeat(60_000), &"a".repeat(60_000)));
        assert!(!matches("!x", &"a".repeat(60_000)));
        assert!(!matches(&"{".repeat(1000), "a"));
    }
}
