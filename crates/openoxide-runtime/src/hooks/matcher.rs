//! Matches hooks to the tools and names that they are for.

use openoxide_permissions::{Action, Approvals, Permission, Rule, Rules, decide, wildcard};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

const LONGEST: usize = 1000;

/// The most bytes that a pattern may need when it is made ready.
const SIZE: usize = 256 * 1024;

/// Which tools or names a hook is for.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    All,
    /// Exactly these.
    Names(Vec<String>),
    /// Those with a part that matches.
    Pattern(Regex),
}

impl Matcher {
    /// Reads a matcher; the error says why it cannot be read.
    pub(crate) fn parse(text: Option<&str>) -> Result<Matcher, String> {
        let text = text.unwrap_or_default();
        if text.is_empty() || text == "*" {
            return Ok(Matcher::All);
        }
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_- ,|".contains(letter);
        if text.chars().all(is_plain) {
            let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Ok(Matcher::Names(names.map(str::to_owned).collect()));
        }
        if text.len() > LONGEST {
            return Err(format!("it has more than {LONGEST} bytes"));
        }
        let pattern = RegexBuilder::new(text).size_limit(SIZE).dfa_size_limit(SIZE).nest_limit(50).build();
        pattern.map(Matcher::Pattern).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            error => error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
        })
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Matcher::All => true,
            Matcher::Names(names) => names.iter().any(|one| one == name),
            Matcher::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

/// A permission rule that a call of a tool must match: `Tool`, or `Tool(pattern)`.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    tool: String,
    pattern: Option<String>,
}

impl Condition {
    pub(crate) fn parse(text: &str) -> Condition {
        let text = text.trim();
        let parts = text.strip_suffix(')').and_then(|text| text.split_once('('));
        let (tool, pattern) = parts.map_or((text, None), |(tool, pattern)| (tool, Some(pattern)));
        let pattern = pattern.filter(|pattern| !pattern.is_empty() && *pattern != "*").map(|pattern| {
            // An older way to write a first word with anything behind it.
            pattern.strip_suffix(":*").map_or_else(|| pattern.to_owned(), |start| format!("{start} *"))
        });
        Condition { tool: tool.to_owned(), pattern }
    }

    /// Tells whether a call is meant. A command that cannot be read for sure is: the hook may be there to stop it.
    pub(crate) fn matches(&self, tool: &str, input: &Value) -> bool {
        if !wildcard(&self.tool, tool) {
            return false;
        }
        let Some(pattern) = &self.pattern else { return true };
        let fields = input.as_object().into_iter().flatten();
        let texts = fields.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
        texts.into_iter().any(|(key, text)| wildcard(pattern, text) || key == "command" && is_command(pattern, text))
    }
}

fn is_command(pattern: &str, command: &str) -> bool {
    let rules = Rules(vec![Rule::new(Permission::Shell.as_str(), pattern, Action::Deny, "if")]);
    decide(&rules, &Approvals::default(), Permission::Shell, command).action == Action::Deny
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_matcher_is_everything_a_list_or_a_pattern() {
        let check = |text: Option<&str>, name: &str, expected: bool| {
            assert_eq!(Matcher::parse(text).unwrap().matches(name), expected, "{text:?} {name}");
        };
        for all in [None, Some(""), Some("*")] {
            check(all, "Bash", true);
        }
        check(Some("Bash"), "Bash", true);
        check(Some("Bash"), "bash", false);
        check(Some("Bash"), "BashOutput", false);
        check(Some("Edit|Write"), "Write", true);
        check(Some("Edit, Write"), "Write", true);
        check(Some("Edit, Write"), "Edit, Write", false);
        check(Some("my-tool_2"), "my-tool_2", true);
        check(Some(" "), "Bash", false);
        check(Some("Bash.*"), "BashOutput", true);
        check(Some("^Edit$"), "NotebookEdit", false);
        check(Some("Edit$"), "NotebookEdit", true);
        check(Some("mcp__memory__.*"), "mcp__memory__create", true);
        check(Some(r"\d+"), "tool7", true);
        check(Some("(a+)+$"), &format!("{}b", "a".repeat(100_000)), false);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let check = |text: &str, why: &str| {
            let error = Matcher::parse(Some(text)).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        };
        check("^(?!Bash)", "look-around");
        check(r"(a)\1", "backreferences");
        check("(a", "unclosed group");
        check(&format!("({})", "a".repeat(LONGEST)), "more than 1000 bytes");
        check("(a{999}){999}", "too large");
        check(&format!("{}a{}", "(".repeat(60), ")".repeat(60)), "nest");
    }

    #[test]
    fn a_condition_is_a_permission_rule() {
        let bash = |rule: &str, command: &str, expected: bool| {
            let condition = Condition::parse(rule);
            assert_eq!(condition.matches("Bash", &json!({"command": command})), expected, "{rule} {command}");
        };
        bash("Bash", "ls", true);
        bash("Bash(*)", "ls", true);
        bash("Edit", "ls", false);
        bash("Bash(git *)", "git push", true);
        bash("Bash(git *)", "git", true);
        bash("Bash(git:*)", "git push", true);
        bash("Bash(git *)", "ls", false);
        bash("Bash(rm *)", "ls && rm -rf x", true);
        bash("Bash(rm *)", "echo $(rm x)", true);
        bash("B*", "ls", true);
        let edit = Condition::parse("Edit(*.rs)");
        assert!(edit.matches("Edit", &json!({"file_path": "/p/a.rs"})));
        assert!(!edit.matches("Edit", &json!({"file_path": "/p/a.ts", "n": [".rs"]})));
        assert!(!edit.matches("Edit", &json!("a.rs")));
    }
}
