//! What settings that list patterns of names say of one name.

use toml::Value;

use crate::settings::{Origin, Setting};
use crate::text::cut_utf16;
use crate::text::glob::{Pattern, Steps, TooManySteps};

/// Returns the texts in the list of a setting.
pub(super) fn words(setting: &Setting) -> impl Iterator<Item = &str> {
    setting.value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Most of a pattern that is repeated for each skill that it is about.
const SHOWN: usize = 100;

/// The patterns of a setting, each with how it is shown; the strongest place is last, and a place without any is left out.
#[derive(Debug)]
pub(super) struct NamePatterns(Vec<(Origin, Vec<(Pattern, String)>)>);

impl NamePatterns {
    pub(super) fn of(settings: &[Setting]) -> NamePatterns {
        let read = |word: &str| (Pattern::new(word), shown(word));
        let lists = settings.iter().map(|setting| (setting.origin.clone(), words(setting).map(read).collect()));
        NamePatterns(lists.filter(|(_, patterns): &(_, Vec<_>)| !patterns.is_empty()).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns why a name is ignored, if it is: a pattern matches, or nobody knows.
    pub(super) fn why_ignored(&self, name: &str) -> Option<String> {
        match self.hit(name) {
            Ok(hit) => hit.map(|(origin, word)| format!("it is ignored: `{word}` in {origin}")),
            Err(TooManySteps) => {
                Some(format!("it is ignored: to compare it with the patterns takes too long{}", self.places()))
            }
        }
    }

    /// Returns why a name is left out, if it is: there are patterns, and none is known to match. A setting without any lets
    /// everything through.
    pub(super) fn why_left_out(&self, name: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        match self.hit(name) {
            Ok(Some(_)) => None,
            Ok(None) => Some(format!("nothing that is included matches it{}", self.places())),
            Err(TooManySteps) => Some(format!("to compare it with what is included takes too long{}", self.places())),
        }
    }

    /// Returns the strongest place whose list has a pattern that matches, and the pattern.
    fn hit(&self, name: &str) -> Result<Option<(&Origin, &str)>, TooManySteps> {
        let name: Vec<char> = name.chars().collect();
        let mut steps = Steps::default();
        for (origin, patterns) in self.0.iter().rev() {
            for (pattern, shown) in patterns {
                if pattern.matches(&name, &mut steps)? {
                    return Ok(Some((origin, shown)));
                }
            }
        }
        Ok(None)
    }

    /// Names the strongest place.
    fn places(&self) -> String {
        self.0.last().map(|(origin, _)| format!(": {origin}")).unwrap_or_default()
    }
}

fn shown(word: &str) -> String {
    let cut = cut_utf16(word, SHOWN);
    if cut.len() < word.len() { format!("{cut}…") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(words: Vec<String>) -> NamePatterns {
        NamePatterns::of(&[Setting { value: words.into(), origin: Origin::CommandLine }])
    }

    #[test]
    fn what_takes_too_long_to_compare_is_off() {
        let name = "a".repeat(5_000);
        let slow = || patterns(vec![format!("*{}b", "?".repeat(5_000))]);
        assert!(slow().why_ignored(&name).unwrap().contains("takes too long"));
        assert!(slow().why_left_out(&name).unwrap().contains("takes too long"));
        assert_eq!((slow().why_ignored("a"), slow().why_left_out("x").is_some()), (None, true));
    }

    /// Each name has its own steps, so that what is said of it is the same whatever was asked before.
    #[test]
    fn many_patterns_of_many_stars_are_compared_with_many_names() {
        let many = patterns((0..100).map(|at| format!("{}*b{at}", "*a".repeat(28))).collect());
        let names = || (0..60).map(|at| format!("s{at}-{}", "a".repeat(60)));
        assert!(names().all(|name| many.why_ignored(&name).is_none()));
        assert!(names().all(|name| many.why_left_out(&name).is_some()));
    }

    #[test]
    fn a_long_pattern_is_not_repeated_whole() {
        let why = patterns(vec!["*".repeat(60_000)]).why_ignored("a").unwrap();
        assert!(why.contains("***…`") && why.len() < 200, "{why}");
        assert_eq!(patterns(Vec::new()).why_left_out("a"), None);
    }
}
