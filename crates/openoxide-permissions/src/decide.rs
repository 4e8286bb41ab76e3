//! Decides on a subject: rules and earlier approvals in; an action, and the rule that led to it, out.

use std::collections::BTreeSet;

use crate::{Action, Permission, Rule, Rules, command};

/// The subjects that the user approved before, permanently or for a session.
///
/// Subjects are compared literally: a `*` in an approved command is not a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals(BTreeSet<(Permission, String)>);

impl Approvals {
    /// Adds an approved subject.
    pub fn allow(&mut self, permission: Permission, subject: impl Into<String>) {
        self.0.insert((permission, subject.into()));
    }

    /// Returns whether a subject was approved.
    pub fn contains(&self, permission: Permission, subject: &str) -> bool {
        self.0.contains(&(permission, subject.to_owned()))
    }
}

/// The result of a decision, and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// The rule that decided. Absent if no rule matches.
    pub rule: Option<Rule>,
    /// Whether an earlier approval replaces the question that the rules would have asked.
    pub remembered: bool,
}

/// Decides on a subject. The last rule that matches decides; if none does, the user is asked. A subject that was approved
/// before is not asked about again, but a rule that denies overrides the approval.
pub fn decide(rules: &Rules, approvals: &Approvals, permission: Permission, subject: &str) -> Decision {
    let (action, rule) = if permission.is_command() {
        command::deciding(rules, permission.as_str(), subject)
    } else {
        let rule = rules.deciding(permission.as_str(), subject);
        (rule.map_or(Action::Ask, |rule| rule.action), rule)
    };
    let remembered = action == Action::Ask && approvals.contains(permission, subject);
    let action = if remembered { Action::Allow } else { action };
    Decision { action, rule: rule.cloned(), remembered }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(rules: &[(&str, &str, Action)], remembered: &[(Permission, &str)], subject: &str) -> (Action, bool) {
        let rules = Rules(rules.iter().map(|row| Rule::new(row.0, row.1, row.2, "test")).collect());
        let mut before = Approvals::default();
        for (permission, subject) in remembered {
            before.allow(*permission, *subject);
        }
        let decision = decide(&rules, &before, Permission::Script, subject);
        (decision.action, decision.remembered)
    }

    #[test]
    fn denied_beats_remembered_and_remembered_beats_asked() {
        use Action::{Allow, Ask, Deny};
        let before = [(Permission::Script, "pdf/a.sh")];
        assert_eq!(decided(&[], &[], "pdf/a.sh"), (Ask, false));
        assert_eq!(decided(&[], &before, "pdf/a.sh"), (Allow, true));
        assert_eq!(decided(&[("script", "*", Ask)], &before, "pdf/a.sh"), (Allow, true));
        assert_eq!(decided(&[("script", "pdf/*", Deny)], &before, "pdf/a.sh"), (Deny, false));
        assert_eq!(decided(&[("*", "*", Deny)], &before, "pdf/a.sh"), (Deny, false));
        assert_eq!(decided(&[("script", "*", Allow)], &before, "pdf/a.sh"), (Allow, false));
        assert_eq!(decided(&[], &[(Permission::Hook, "pdf/a.sh")], "pdf/a.sh"), (Ask, false));
        assert_eq!(decided(&[], &[(Permission::Script, "pdf/*")], "pdf/a.sh"), (Ask, false), "no pattern");
    }

    #[test]
    fn text_is_free_and_power_is_asked_for() {
        let rules = Rules::builtin();
        for permission in Permission::ALL {
            let decision = decide(&rules, &Approvals::default(), *permission, "x");
            assert_eq!(decision.action, permission.builtin(), "{permission:?}");
            assert!(decision.rule.is_some());
            let is_text = matches!(permission, Permission::Skill | Permission::Read);
            assert_eq!(decision.action == Action::Allow, is_text, "{permission:?}");
            assert_eq!(Permission::parse(permission.as_str()), Some(*permission));
        }
    }
}
