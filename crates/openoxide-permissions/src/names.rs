//! Decides on what has several names: a rule means it by any of them.

use crate::{Permission, Rule, Rules, folded};

/// A name that nothing has. A rule that matches it is about all names.
const NO_NAME: &str = "\0\0\0\0\0\0\0\0";

/// The names of one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names<'n> {
    /// Those that call it here; its own comes first.
    pub called: Vec<&'n str>,
    /// Those that it has elsewhere. They restrict, and allow nothing.
    pub others: Vec<&'n str>,
}

impl Rules {
    /// Returns the rule that decides on something by all its names; `subject` makes the subject of a name.
    ///
    /// For each name the last rule that matches decides, and the strictest of these decisions holds. A rule that is about all
    /// names gives way to one that names the thing as it is called here: `*` denies all but what is allowed by name. A rule
    /// that spells a name otherwise in Unicode restricts, too, and allows nothing.
    pub fn deciding_by_names(
        &self,
        permission: Permission,
        names: &Names<'_>,
        subject: impl Fn(&str) -> String,
    ) -> Option<&Rule> {
        debug_assert!(permission.is_by_name(), "{permission:?} is not asked by names");
        let of_all = subject(NO_NAME);
        let deciding = |name: &&str| self.deciding(permission.as_str(), &subject(name));
        let names_it = |rule: &&Rule| !rule.matches(&of_all);
        let called: Vec<&Rule> = names.called.iter().filter_map(deciding).collect();
        let named = called.iter().copied().filter(names_it).max_by_key(|rule| rule.action);
        let here = named.or_else(|| called.first().copied());
        let all = names.called.iter().chain(&names.others);
        let spelled_otherwise = all.filter_map(|name| self.deciding_folded(permission.as_str(), &subject(name)));
        let elsewhere = names.others.iter().filter_map(deciding).chain(spelled_otherwise);
        let elsewhere = elsewhere.filter(names_it).max_by_key(|rule| rule.action);
        // Without a rule the user is asked.
        let is_stricter = |rule: &&Rule| rule.action > here.map_or(crate::Action::Ask, |here| here.action);
        elsewhere.filter(is_stricter).or(here)
    }

    /// Returns the rule that decides where all spellings of a text in Unicode are the same; none where there is but one.
    fn deciding_folded(&self, permission: &str, subject: &str) -> Option<&Rule> {
        if subject.is_ascii() && self.0.iter().all(|rule| rule.folded.is_none()) {
            return None;
        }
        let subject = folded(subject);
        self.last(|rule| rule.is_about(permission) && rule.matches_folded(&subject))
    }

    /// Returns whether some rule can mean a skill by a name of its own, so that all its names must be known.
    pub fn mean_names(&self) -> bool {
        let is_asked = |rule: &Rule| Permission::BY_NAME.iter().any(|permission| rule.is_about(permission.as_str()));
        self.0.iter().any(|rule| rule.pattern != "*" && is_asked(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action::{self, Allow, Ask, Deny};

    const NAMES: (&[&str], &[&str]) = (&["deploy", "alias"], &["tools:deploy", "folder"]);

    fn decided(permission: Permission, rows: &[(&str, Action)], path: &str) -> Option<Action> {
        let rule = |row: &(&str, Action)| Rule::new(permission.as_str(), row.0, row.1, "test");
        let rules = Rules(rows.iter().map(rule).collect());
        let names = Names { called: NAMES.0.to_vec(), others: NAMES.1.to_vec() };
        rules.deciding_by_names(permission, &names, |name| format!("{name}{path}")).map(|rule| rule.action)
    }

    #[test]
    fn a_rule_under_any_name_restricts() {
        let skill = |rows: &[(&str, Action)]| decided(Permission::Skill, rows, "");
        assert_eq!(skill(&[]), None);
        assert_eq!(skill(&[("*", Allow), ("tools:deploy", Deny)]), Some(Deny));
        assert_eq!(skill(&[("*", Allow), ("tools:*", Ask)]), Some(Ask));
        assert_eq!(skill(&[("tools:*", Deny), ("deploy", Allow)]), Some(Deny));
        assert_eq!(skill(&[("alias", Deny), ("deploy", Allow)]), Some(Deny));
        assert_eq!(skill(&[("folder", Ask), ("deploy", Deny)]), Some(Deny));
        assert_eq!(skill(&[("folder", Ask)]), None, "without a rule it is asked in any case");
    }

    #[test]
    fn what_is_about_all_names_gives_way_to_the_name_here() {
        let skill = |rows: &[(&str, Action)]| decided(Permission::Skill, rows, "");
        assert_eq!(skill(&[("*", Deny), ("deploy", Allow)]), Some(Allow));
        assert_eq!(skill(&[("*", Deny), ("alias", Allow)]), Some(Allow));
        assert_eq!(skill(&[("*", Deny), ("deploy", Ask)]), Some(Ask));
        assert_eq!(skill(&[("*", Deny), ("deploy", Allow), ("folder", Ask)]), Some(Ask));
        assert_eq!(skill(&[("*", Deny), ("deploy", Allow), ("folder", Deny)]), Some(Deny));
        assert_eq!(skill(&[("deploy", Allow), ("*", Deny)]), Some(Deny), "the last that matches");
        assert_eq!(skill(&[("*", Deny), ("folder", Allow)]), Some(Deny), "a name elsewhere allows nothing");
        assert_eq!(skill(&[("*", Ask), ("tools:deploy", Allow)]), Some(Ask));
    }

    #[test]
    fn a_rule_on_the_path_alone_is_about_all_names() {
        let read = |rows: &[(&str, Action)]| decided(Permission::Read, rows, "/in/a.env");
        assert_eq!(read(&[("*", Allow), ("*.env", Deny)]), Some(Deny));
        assert_eq!(read(&[("*.env", Deny), ("deploy/in/*", Allow)]), Some(Allow));
        assert_eq!(read(&[("*/a.env", Deny), ("tools:deploy/*", Allow)]), Some(Deny));
        assert_eq!(read(&[("*", Allow), ("tools:deploy/*.env", Deny)]), Some(Deny));
    }

    #[test]
    fn a_rule_that_is_spelled_otherwise_restricts() {
        let (one, two) = ("caf\u{e9}", "cafe\u{301}");
        let decided = |name: &str, rows: &[(&str, Action)]| {
            let rules = Rules(rows.iter().map(|row| Rule::new("skill", row.0, row.1, "test").at_home(None)).collect());
            let names = Names { called: vec![name], others: Vec::new() };
            rules.deciding_by_names(Permission::Skill, &names, str::to_owned).map(|rule| rule.action)
        };
        for (name, other) in [(one, two), (two, one), ("file", "\u{fb01}le"), ("\u{fb01}le", "file")] {
            assert_eq!(decided(name, &[("*", Allow), (other, Deny)]), Some(Deny), "{name}");
            assert_eq!(
                decided(name, &[(other, Deny), (name, Deny), ("*", Allow)]),
                Some(Allow),
                "the last that matches"
            );
            assert_eq!(decided(name, &[("*", Deny), (other, Allow)]), Some(Deny), "it allows nothing");
            assert_eq!(decided(name, &[(name, Ask), (other, Allow)]), Some(Ask));
        }
        assert_eq!(decided(one, &[("*", Allow), ("cafe\u{301}*", Deny)]), Some(Deny));
        assert_eq!(decided("cafe", &[("*", Allow), (two, Deny)]), Some(Allow));
    }

    #[test]
    fn names_are_needed_for_every_permission_that_is_asked_by_them() {
        let mean =
            |permission: &str, pattern: &str| Rules(vec![Rule::new(permission, pattern, Deny, "test")]).mean_names();
        for permission in Permission::ALL {
            assert_eq!(mean(permission.as_str(), "tools:deploy*"), permission.is_by_name(), "{permission:?}");
            assert!(!mean(permission.as_str(), "*"));
        }
        assert!(mean("*", "deploy") && !Rules::builtin().mean_names());
    }
}
