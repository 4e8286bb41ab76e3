//! Rules: a permission, a pattern, an action, and where the rule is written.

use std::{borrow::Cow, path::Path};

use unicode_normalization::UnicodeNormalization as _;

use crate::{Action, Permission, expand_home, wildcard};

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
    /// The pattern of the permissions that the rule applies to.
    pub permission: String,
    /// The pattern of the subjects, as it is written.
    pub pattern: String,
    /// The effect.
    pub action: Action,
    /// Where it is written, such as `config.toml:12`.
    pub origin: String,
    /// Texts that it must match, and must not match. [`Rule::check`] checks them.
    pub examples: Examples,
    /// Whether the rule applies only where it is stricter than the rules before it. A project, for example, may restrict and
    /// never loosen.
    pub only_stricter: bool,
    /// The pattern that subjects are compared with: the user's home is in it.
    pub(crate) expanded: String,
    /// The same pattern [`folded`], where that is another one.
    pub(crate) folded: Option<String>,
}

/// A rule that cannot be used, or a text that may hold one and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {what}")]
pub struct RuleError {
    /// Where the rule is written.
    pub origin: String,
    /// What is wrong with it.
    pub what: String,
    step: Option<String>,
}

impl RuleError {
    /// Makes the error of a rule that has to be fixed.
    pub fn new(origin: impl Into<String>, what: impl Into<String>) -> RuleError {
        RuleError { origin: origin.into(), what: what.into(), step: None }
    }

    /// Names another next step than to fix the rule.
    #[must_use]
    pub fn with_step(self, step: impl Into<String>) -> RuleError {
        RuleError { step: Some(step.into()), ..self }
    }

    /// Returns the next step that is not to fix the rule: something about the file that it stands in.
    pub fn step(&self) -> Option<&str> {
        self.step.as_deref()
    }

    /// Returns the next step.
    pub fn hint(&self) -> &str {
        self.step().unwrap_or("fix the rule; OpenOxide does not guess what it means")
    }
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
            folded: folded_otherwise(&pattern),
            pattern,
            action,
            origin: origin.into(),
            examples: Examples::default(),
            only_stricter: false,
        }
    }

    /// Replaces a leading `~` or `$HOME` of the pattern with the user's home.
    #[must_use]
    pub fn at_home(mut self, home: Option<&Path>) -> Rule {
        self.expanded = expand_home(&self.pattern, home);
        self.folded = folded_otherwise(&self.expanded);
        self
    }

    /// Returns whether the rule applies to a permission.
    pub fn is_about(&self, permission: &str) -> bool {
        wildcard(&self.permission, permission)
    }

    /// Returns whether the rule matches a subject that is not a command.
    pub fn matches(&self, subject: &str) -> bool {
        wildcard(&self.expanded, subject)
    }

    /// Does the same for a folded subject, with the pattern folded.
    pub(crate) fn matches_folded(&self, subject: &str) -> bool {
        wildcard(self.folded.as_deref().unwrap_or(&self.expanded), subject)
    }
}

/// Returns a text in the form that all its spellings in Unicode have: `é` is one character or two.
pub fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { text.into() } else { text.nfkc().collect() }
}

/// Returns the same form if the text is not in it.
fn folded_otherwise(text: &str) -> Option<String> {
    Some(folded(text)).filter(|folded| *folded != text).map(Cow::into_owned)
}

/// Rules in order. The last one that matches decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(pub Vec<Rule>);

impl Rules {
    /// Returns the default rules: reading is allowed, everything else asks.
    pub fn builtin() -> Rules {
        let rule = |permission: &Permission| Rule::new(permission.as_str(), "*", permission.builtin(), "built in");
        Rules(Permission::ALL.iter().map(rule).collect())
    }

    /// Returns the rule that decides on a subject that is not a command.
    pub fn deciding(&self, permission: &str, subject: &str) -> Option<&Rule> {
        self.last(|rule| rule.is_about(permission) && rule.matches(subject))
    }

    /// Returns the last rule that matches. A rule that may only restrict is skipped where it would loosen.
    pub(crate) fn last(&self, matches: impl Fn(&Rule) -> bool) -> Option<&Rule> {
        let mut found: Option<&Rule> = None;
        for rule in self.0.iter().filter(|rule| matches(rule)) {
            let so_far = found.map_or(Action::Ask, |rule| rule.action);
            if !rule.only_stricter || rule.action > so_far {
                found = Some(rule);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(rows: &[(&str, &str, Action)]) -> Rules {
        let place = |(line, row): (usize, &(&str, &str, Action))| Rule::new(row.0, row.1, row.2, format!("r:{line}"));
        Rules(rows.iter().enumerate().map(place).collect())
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
    fn who_may_not_loosen_only_makes_stricter() {
        use Action::{Allow, Ask, Deny};
        let check = |before: Option<Action>, after: Action| {
            let mut rules = Rules::default();
            rules.0.extend(before.map(|action| Rule::new("skill", "*", action, "user")));
            rules.0.push(Rule { only_stricter: true, ..Rule::new("skill", "*", after, "project") });
            rules.deciding("skill", "x").map(|rule| rule.action)
        };
        assert_eq!(check(Some(Deny), Ask), Some(Deny));
        assert_eq!(check(Some(Deny), Allow), Some(Deny));
        assert_eq!(check(Some(Ask), Allow), Some(Ask));
        assert_eq!(check(None, Allow), None);
        assert_eq!(check(Some(Allow), Ask), Some(Ask));
        assert_eq!(check(None, Deny), Some(Deny));
    }
}
