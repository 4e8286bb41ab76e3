//! Rules: a permission, a pattern, an action, and where that was said.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::command;
use crate::decide::Permission;
use crate::wildcard::{expand_home, wildcard};

/// Longest pattern, in bytes; it bounds what one comparison costs.
const MAX_PATTERN: usize = 4096;

/// What a rule says; a later one is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It may happen.
    Allow,
    /// People are asked.
    Ask,
    /// It does not happen.
    Deny,
}

impl Action {
    /// Returns the word used in settings, text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Allow => "allow",
            Action::Ask => "ask",
            Action::Deny => "deny",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Action {
    type Err = ();

    fn from_str(word: &str) -> Result<Action, ()> {
        [Action::Allow, Action::Ask, Action::Deny].into_iter().find(|action| action.as_str() == word).ok_or(())
    }
}

/// Texts that a rule must match, and must not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examples {
    /// It must match these.
    pub matches: Vec<String>,
    /// It must not match these.
    pub not: Vec<String>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The pattern of permissions that it is about.
    pub permission: String,
    /// The pattern of subjects, as it is written.
    pub pattern: String,
    /// What it says.
    pub action: Action,
    /// Where it stands, such as `config.toml:12`.
    pub origin: String,
    /// What it must match, and must not.
    pub examples: Examples,
    /// The pattern with the user's home in it.
    expanded: String,
    /// Whether it counts only where it is stricter than what earlier rules say.
    only_stricter: bool,
}

/// A rule that cannot count; the place is where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// An example does not match.
    #[error("{origin}: the rule `{pattern}` does not match its example `{example}`")]
    NoMatch {
        /// Where the rule stands.
        origin: String,
        /// Its pattern.
        pattern: String,
        /// The example.
        example: String,
    },
    /// A counter-example matches.
    #[error("{origin}: the rule `{pattern}` matches `{example}`, which stands under `not`")]
    Match {
        /// Where the rule stands.
        origin: String,
        /// Its pattern.
        pattern: String,
        /// The example.
        example: String,
    },
    /// The pattern is too long.
    #[error("{origin}: the pattern has more than {max} bytes")]
    TooLong {
        /// Where the rule stands.
        origin: String,
        /// The most there may be.
        max: usize,
    },
    /// The word is no action.
    #[error("{origin}: `{word}` is not `allow`, `ask` or `deny`")]
    Action {
        /// Where the rule stands.
        origin: String,
        /// The word.
        word: String,
    },
    /// It is not written as a rule is.
    #[error("{origin}: {what}")]
    Shape {
        /// Where the rule stands.
        origin: String,
        /// What is wrong.
        what: String,
    },
}

impl Rule {
    /// Makes a rule without examples.
    pub fn new(
        permission: impl Into<String>,
        pattern: impl Into<String>,
        action: Action,
        origin: impl Into<String>,
    ) -> Rule {
        let pattern = pattern.into();
        Rule {
            permission: permission.into(),
            expanded: pattern.clone(),
            pattern,
            action,
            origin: origin.into(),
            examples: Examples::default(),
            only_stricter: false,
        }
    }

    /// Puts the user's home in the place of a leading `~` or `$HOME` of the pattern.
    #[must_use]
    pub fn at_home(mut self, home: Option<&Path>) -> Rule {
        self.expanded = expand_home(&self.pattern, home);
        self
    }

    /// Adds examples; [`Rule::check`] compares them with the rule.
    #[must_use]
    pub fn with_examples(mut self, examples: Examples) -> Rule {
        self.examples = examples;
        self
    }

    /// Lets the rule count only where it is stricter than what earlier rules say: for those who may not loosen.
    #[must_use]
    pub fn only_stricter(mut self) -> Rule {
        self.only_stricter = true;
        self
    }

    /// Tells whether the rule is about a permission.
    pub fn is_about(&self, permission: &str) -> bool {
        wildcard(&self.permission, permission)
    }

    /// Tells whether the rule matches a subject that is no command.
    pub fn matches(&self, subject: &str) -> bool {
        wildcard(&self.expanded, subject)
    }

    /// Compares the rule with its examples.
    pub fn check(&self) -> Result<(), RuleError> {
        let (origin, pattern) = (self.origin.clone(), self.pattern.clone());
        if self.expanded.len() > MAX_PATTERN {
            return Err(RuleError::TooLong { origin, max: MAX_PATTERN });
        }
        let is_command = Permission::parse(&self.permission).is_some_and(Permission::is_command);
        let matches = |example: &&String| {
            if is_command { command::rule_matches(self, example) } else { self.matches(example) }
        };
        if let Some(example) = self.examples.matches.iter().find(|example| !matches(example)) {
            return Err(RuleError::NoMatch { origin, pattern, example: example.clone() });
        }
        match self.examples.not.iter().find(matches) {
            Some(example) => Err(RuleError::Match { origin, pattern, example: example.clone() }),
            None => Ok(()),
        }
    }

    /// Returns the pattern that is compared.
    pub(crate) fn compared(&self) -> &str {
        &self.expanded
    }
}

/// Rules in order: the last one that matches decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Returns the rules that hold when nobody says anything: reading is free, everything with power asks.
    pub fn builtin() -> Rules {
        let rule = |permission: &Permission| Rule::new(permission.as_str(), "*", permission.builtin(), "built in");
        Rules(Permission::ALL.iter().map(rule).collect())
    }

    /// Adds a rule, stronger than those before.
    pub fn push(&mut self, rule: Rule) {
        self.0.push(rule);
    }

    /// Adds rules, stronger than those before.
    pub fn extend(&mut self, rules: impl IntoIterator<Item = Rule>) {
        self.0.extend(rules);
    }

    /// Returns the rules, weakest first.
    pub fn iter(&self) -> std::slice::Iter<'_, Rule> {
        self.0.iter()
    }

    /// Tells whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares every rule with its examples.
    pub fn check(&self) -> Result<(), RuleError> {
        self.iter().try_for_each(Rule::check)
    }

    /// Returns the rule that decides on a subject that is no command.
    pub fn deciding(&self, permission: &str, subject: &str) -> Option<&Rule> {
        self.last(|rule| rule.is_about(permission) && rule.matches(subject))
    }

    /// Tells whether a permission is denied as a whole: its last rule denies everything.
    pub fn hides(&self, permission: &str) -> bool {
        let last = self.iter().rfind(|rule| rule.is_about(permission));
        last.is_some_and(|rule| rule.pattern == "*" && rule.action == Action::Deny)
    }

    /// Returns the last rule that matches; one that may not loosen is passed over where it would.
    pub(crate) fn last(&self, matches: impl Fn(&Rule) -> bool) -> Option<&Rule> {
        let mut found: Option<&Rule> = None;
        for rule in self.iter().filter(|rule| matches(rule)) {
            let so_far = found.map_or(Action::Ask, |rule| rule.action);
            if !rule.only_stricter || rule.action > so_far {
                found = Some(rule);
            }
        }
        found
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Rules {
        Rules(rules.into_iter().collect())
    }
}

impl IntoIterator for Rules {
    type Item = Rule;
    type IntoIter = std::vec::IntoIter<Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'r> IntoIterator for &'r Rules {
    type Item = &'r Rule;
    type IntoIter = std::slice::Iter<'r, Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(rows: &[(&str, &str, Action)]) -> Rules {
        let place = |(line, row): (usize, &(&str, &str, Action))| Rule::new(row.0, row.1, row.2, format!("r:{line}"));
        rows.iter().enumerate().map(place).collect()
    }

    #[test]
    fn the_last_rule_that_matches_decides() {
        use Action::{Allow, Ask, Deny};
        let rules = rules(&[("*", "*", Ask), ("skill", "deploy-*", Deny), ("skill", "deploy-docs", Allow)]);
        let deciding = |permission, subject| rules.deciding(permission, subject).map(|rule| rule.origin.as_str());
        assert_eq!(deciding("skill", "deploy-docs"), Some("r:2"));
        assert_eq!(deciding("skill", "deploy-web"), Some("r:1"));
        assert_eq!(deciding("read", "deploy-web"), Some("r:0"));
        assert_eq!(Rules::default().deciding("skill", "x"), None);
    }

    #[test]
    fn a_permission_is_hidden_by_its_last_rule_alone() {
        use Action::{Allow, Deny};
        assert!(!rules(&[("skill", "*", Deny), ("skill", "x", Allow)]).hides("skill"));
        assert!(rules(&[("skill", "x", Allow), ("skill", "*", Deny)]).hides("skill"));
        assert!(rules(&[("*", "*", Deny)]).hides("skill"));
        assert!(!rules(&[("skill", "**", Deny)]).hides("skill"));
        assert!(!Rules::default().hides("skill"));
    }

    #[test]
    fn who_may_not_loosen_only_makes_stricter() {
        use Action::{Allow, Ask, Deny};
        let check = |before: Option<Action>, after: Action| {
            let mut rules = Rules::default();
            rules.extend(before.map(|action| Rule::new("skill", "*", action, "user")));
            rules.push(Rule::new("skill", "*", after, "project").only_stricter());
            rules.deciding("skill", "x").map(|rule| rule.action)
        };
        assert_eq!(check(Some(Deny), Ask), Some(Deny));
        assert_eq!(check(Some(Deny), Allow), Some(Deny));
        assert_eq!(check(Some(Ask), Allow), Some(Ask));
        assert_eq!(check(None, Allow), None);
        assert_eq!(check(Some(Allow), Ask), Some(Ask));
        assert_eq!(check(None, Deny), Some(Deny));
    }

    #[test]
    fn examples_are_compared() {
        let check = |permission: &str, pattern: &str, action, matches: &[&str], not: &[&str]| {
            let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
            let examples = Examples { matches: texts(matches), not: texts(not) };
            let rule = Rule::new(permission, pattern, action, "config.toml:7").with_examples(examples);
            rule.check().map_err(|error| error.to_string())
        };
        assert_eq!(check("skill", "deploy-*", Action::Deny, &["deploy-web"], &["deploy"]), Ok(()));
        assert_eq!(
            check("skill", "deploy-*", Action::Deny, &["deploy"], &[]).unwrap_err(),
            "config.toml:7: the rule `deploy-*` does not match its example `deploy`"
        );
        assert_eq!(
            check("skill", "deploy*", Action::Deny, &[], &["deployed"]).unwrap_err(),
            "config.toml:7: the rule `deploy*` matches `deployed`, which stands under `not`"
        );
        // A command's examples are matched as commands are.
        assert_eq!(check("shell", "git *", Action::Allow, &["git status"], &["git status; rm x"]), Ok(()));
        assert_eq!(check("shell", "rm *", Action::Deny, &["git status; rm x"], &["git rm x"]), Ok(()));
        assert!(check("skill", &"a".repeat(5000), Action::Deny, &[], &[]).unwrap_err().contains("4096"));
    }
}
