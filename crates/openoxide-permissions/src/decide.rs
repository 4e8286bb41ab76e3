//! Decisions: rules, what people said before, and a subject in; an action and the rule that says so out.

use std::collections::BTreeSet;

use crate::command;
use crate::rule::{Action, Rule, Rules};

/// What a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Calling a skill; the subject is its name.
    Skill,
    /// Reading a file of a skill; the subject is `skill/path`.
    Read,
    /// A command in a skill's text; the subject is the command.
    Shell,
    /// Running a skill's script; the subject is `skill/path`.
    Script,
    /// A command that runs on an event; the subject is the command.
    Hook,
    /// Starting or reaching a server; the subjects are its name, and its command or address. Both must be allowed.
    Mcp,
    /// Taking over a skill's permission profile; the subject is the skill's name.
    Profile,
    /// Calling a tool; the subject is the tool's name.
    Tool,
    /// Reaching the network; the subject is the skill's name.
    Network,
}

impl Permission {
    /// Every permission.
    pub const ALL: &'static [Permission] = &[
        Permission::Skill,
        Permission::Read,
        Permission::Shell,
        Permission::Script,
        Permission::Hook,
        Permission::Mcp,
        Permission::Profile,
        Permission::Tool,
        Permission::Network,
    ];

    /// Returns the word used in rules.
    pub fn as_str(self) -> &'static str {
        match self {
            Permission::Skill => "skill",
            Permission::Read => "read",
            Permission::Shell => "shell",
            Permission::Script => "script",
            Permission::Hook => "hook",
            Permission::Mcp => "mcp",
            Permission::Profile => "profile",
            Permission::Tool => "tool",
            Permission::Network => "network",
        }
    }

    /// Finds a permission by its word.
    pub fn parse(word: &str) -> Option<Permission> {
        Permission::ALL.iter().copied().find(|permission| permission.as_str() == word)
    }

    /// Tells whether its subjects are commands, which are matched part by part.
    pub fn is_command(self) -> bool {
        matches!(self, Permission::Shell | Permission::Hook)
    }

    /// Returns what holds when nobody says anything: text is free, power is asked for.
    pub fn builtin(self) -> Action {
        match self {
            Permission::Skill | Permission::Read => Action::Allow,
            Permission::Shell
            | Permission::Script
            | Permission::Hook
            | Permission::Mcp
            | Permission::Profile
            | Permission::Tool
            | Permission::Network => Action::Ask,
        }
    }
}

/// What people allowed before, for good or for a session.
///
/// A subject is remembered letter by letter: a `*` in a command that somebody allowed is no pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered(BTreeSet<(Permission, String)>);

impl Remembered {
    /// Remembers that a subject is allowed.
    pub fn allow(&mut self, permission: Permission, subject: impl Into<String>) {
        self.0.insert((permission, subject.into()));
    }

    /// Tells whether a subject was allowed.
    pub fn allows(&self, permission: Permission, subject: &str) -> bool {
        self.0.contains(&(permission, subject.to_owned()))
    }
}

/// An answer, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is to happen.
    pub action: Action,
    /// The rule that says so; absent if none matches.
    pub rule: Option<Rule>,
    /// Whether people said so before, which a rule would have asked for.
    pub remembered: bool,
}

/// Decides on a subject: the last rule that matches, or else asking; what was allowed before is not asked again.
///
/// A rule that denies beats what was allowed before.
pub fn decide(rules: &Rules, remembered: &Remembered, permission: Permission, subject: &str) -> Decision {
    let (action, rule) = if permission.is_command() {
        command::deciding(rules, permission.as_str(), subject)
    } else {
        let rule = rules.deciding(permission.as_str(), subject);
        (rule.map_or(Action::Ask, |rule| rule.action), rule)
    };
    let recalled = action == Action::Ask && remembered.allows(permission, subject);
    let action = if recalled { Action::Allow } else { action };
    Decision { action, rule: rule.cloned(), remembered: recalled }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(rules: &[(&str, &str, Action)], remembered: &[(Permission, &str)], subject: &str) -> (Action, bool) {
        let rules: Rules = rules.iter().map(|row| Rule::new(row.0, row.1, row.2, "test")).collect();
        let mut before = Remembered::default();
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
            let decision = decide(&rules, &Remembered::default(), *permission, "x");
            assert_eq!(decision.action, permission.builtin(), "{permission:?}");
            assert!(decision.rule.is_some());
            let is_text = matches!(permission, Permission::Skill | Permission::Read);
            assert_eq!(decision.action == Action::Allow, is_text, "{permission:?}");
            assert_eq!(Permission::parse(permission.as_str()), Some(*permission));
        }
    }
}
