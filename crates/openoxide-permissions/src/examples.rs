//! Checks rules against the examples that they carry.

use crate::{Permission, Rule, RuleError, command};

/// The longest pattern, in bytes. It bounds the cost of one comparison.
const MAX_PATTERN: usize = 4096;

impl Rule {
    /// Checks the rule against its examples.
    pub fn check(&self) -> Result<(), RuleError> {
        let error = |what| Err(RuleError::new(&self.origin, what));
        if self.expanded.len() > MAX_PATTERN {
            return error(format!("the pattern has more than {MAX_PATTERN} bytes"));
        }
        let is_command = Permission::parse(&self.permission).is_some_and(Permission::is_command);
        let matches = |example: &&String| {
            if is_command { command::rule_matches(self, example) } else { self.matches(example) }
        };
        if let Some(example) = self.examples.matches.iter().find(|example| !matches(example)) {
            return error(format!("the rule `{}` does not match its example `{example}`", self.pattern));
        }
        match self.examples.not.iter().find(matches) {
            Some(example) => {
                error(format!("the rule `{}` matches `{example}`, which stands under `not`", self.pattern))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Action, Examples, Rule};

    #[test]
    fn examples_are_compared() {
        let check = |permission: &str, pattern: &str, action, matches: &[&str], not: &[&str]| {
            let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
            let examples = Examples { matches: texts(matches), not: texts(not) };
            let rule = Rule { examples, ..Rule::new(permission, pattern, action, "config.toml:7") };
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
