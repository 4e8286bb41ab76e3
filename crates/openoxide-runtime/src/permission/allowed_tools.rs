//! Applies a skill's `allowed-tools` to the commands that the skill runs.

use openoxide_config::AllowedTools;
use openoxide_permissions::{Action, Approvals, Permission, Rule, Rules, decide};
use openoxide_skills::host::ToolsMeaning;

use crate::{Runtime, activation::Loading};

/// The tool that runs commands.
const COMMANDS: &str = "Bash";

impl Runtime {
    /// Returns what `allowed-tools` means here: the user's settings can make it a limit whatever the host says.
    pub(crate) fn tools_meaning(&self) -> ToolsMeaning {
        match self.policy.allowed_tools {
            AllowedTools::Limit => ToolsMeaning::Limit,
            AllowedTools::Preapprove => self.view().host.activation.allowed_tools,
        }
    }

    /// Returns the only tools that the model may use; a skill without a list limits none.
    pub(crate) fn limited_to(&self, loading: &Loading) -> Option<Vec<String>> {
        let tools = &loading.parsed.frontmatter.allowed_tools;
        (self.tools_meaning() == ToolsMeaning::Limit && !tools.is_empty()).then(|| tools.clone())
    }

    /// Tells whether a skill may run a command as far as its `allowed-tools` goes; `forms` are ways to write the command.
    ///
    /// Where the list is a limit, what it does not name does not run; a skill without a list runs nothing.
    pub(crate) fn lists_command(&self, loading: &Loading, forms: &[String]) -> bool {
        self.tools_meaning() != ToolsMeaning::Limit || lists(&loading.parsed.frontmatter.allowed_tools, forms)
    }
}

/// Tells whether tools cover a command that can be written in these forms.
fn lists(tools: &[String], forms: &[String]) -> bool {
    let mut rules = Rules::default();
    for pattern in tools.iter().filter_map(|tool| pattern(tool)) {
        let mut allow = |pattern: &str| rules.0.push(Rule::new("shell", pattern, Action::Allow, "allowed-tools"));
        match pattern.strip_suffix(":*") {
            // Anything that begins with these words.
            Some(start) => {
                allow(start);
                allow(&format!("{start} *"));
            }
            None => allow(pattern),
        }
    }
    let allows = |form: &String| decide(&rules, &Approvals::default(), Permission::Shell, form).action == Action::Allow;
    forms.iter().any(allows)
}

/// Returns the commands that a tool of a list covers, if it is the one that runs commands.
fn pattern(tool: &str) -> Option<&str> {
    let tool = tool.trim();
    let rest = tool.get(COMMANDS.len()..).filter(|_| tool[..COMMANDS.len()].eq_ignore_ascii_case(COMMANDS))?;
    match rest.trim_start() {
        "" => Some("*"),
        rest => rest.strip_prefix('(')?.strip_suffix(')').map(str::trim),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_must_be_covered() {
        let covers = |tool: &str, form: &str| lists(&[tool.to_owned(), "Read".to_owned()], &[form.to_owned()]);
        for (tool, form, expected) in [
            ("Bash", "scripts/a.sh", true),
            ("bash", "scripts/a.sh", true),
            ("Bash(*)", "scripts/a.sh x", true),
            ("Bash(scripts/a.sh)", "scripts/a.sh", true),
            ("Bash(scripts/a.sh)", "scripts/a.sh x", false),
            ("Bash(scripts/a.sh:*)", "scripts/a.sh x", true),
            ("Bash(scripts/a.sh:*)", "scripts/a.sh.other", false),
            ("Bash(git:*)", "git status", true),
            ("Bash(git:*)", "git status; rm x", false),
            ("Bash(git:*)", "scripts/a.sh", false),
            ("BashOutput", "scripts/a.sh", false),
            ("Read", "scripts/a.sh", false),
            ("Bä", "scripts/a.sh", false),
            ("Bash(", "scripts/a.sh", false),
        ] {
            assert_eq!(covers(tool, form), expected, "{tool} {form}");
        }
        assert!(!lists(&[], &["ls".to_owned()]));
    }
}
