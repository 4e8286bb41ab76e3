//! Decides on what has several names: a rule means it by any of them.

use crate::{Permission, Rule, Rules};

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
    /// names gives way to one that names the thing as it is called here: `*` denies all but what is allowed by name.
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
        let elsewhere = names.others.iter().filter_map(deciding).filter(names_it).max_by_key(|rule| rule.action);
        // Without a rule the user is asked.
        let is_stricter = |rule: &&Rule| rule.action > here.map_or(crate::Action::Ask, |here| here.action);
        elsewhere.filter(is_stricter).or(here)
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
