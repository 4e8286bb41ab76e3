//! Permission rules of a program's settings: the last one that matches a skill decides whether the model gets it.

use std::path::Path;

use toml::Value;

use super::{Entry, Problem, View};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Level};
use crate::settings::{Origin, Setting};

/// One rule: what it is about, for which names, and what it says.
struct Rule<'v> {
    permission: &'v str,
    /// The pattern as it is written.
    written: &'v str,
    pattern: String,
    action: &'v str,
    setting: &'v str,
}

/// Keeps from the model what the last matching rule denies, and says which rule that is.
pub(super) fn apply(view: &View, entries: &mut [Entry]) {
    let rules = rules(view);
    if rules.is_empty() {
        return;
    }
    for entry in entries.iter_mut().filter(|entry| entry.is_active()) {
        let name = &entry.skill.name;
        let is_it =
            |rule: &&Rule<'_>| matches(&view.host.filter.permission, rule.permission) && matches(name, &rule.pattern);
        let Some(rule) = rules.iter().rev().find(is_it).filter(|rule| rule.action == "deny") else { continue };
        entry.model = false;
        let origin = origin(view, rule).map(ToString::to_string).unwrap_or_default();
        let message = format!("the model does not see it: `{}` is denied by {origin}", rule.written);
        let diagnostic = Diagnostic::new(Code::DisabledBySetting, Level::Note, message)
            .help("allow it after that rule, or remove the rule");
        entry.problems.push(Problem { path: entry.skill.path.to_path_buf(), diagnostic });
    }
}

/// Returns every rule, weakest first.
fn rules(view: &View) -> Vec<Rule<'_>> {
    let home = view.around.home.as_deref();
    let mut rules = Vec::new();
    for setting in &view.host.filter.permissions {
        let table = view.settings.get(setting).and_then(|setting| setting.value.as_table());
        for (permission, value) in table.into_iter().flatten() {
            let rule =
                |(written, action)| Rule { permission, written, pattern: expanded(written, home), action, setting };
            rules.extend(patterns(value).into_iter().map(rule));
        }
    }
    rules
}

/// Returns the patterns of a permission, and what each says; a word alone is for every name.
fn patterns(value: &Value) -> Vec<(&str, &str)> {
    match value {
        Value::String(action) => vec![("*", action)],
        Value::Table(table) => {
            table.iter().filter_map(|(pattern, action)| Some((pattern.as_str(), action.as_str()?))).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns where a rule was written: the strongest place that says the same.
fn origin<'v>(view: &'v View, rule: &Rule<'_>) -> Option<&'v Origin> {
    let says_it = |setting: &&Setting| {
        let value = setting.value.get(rule.permission);
        value.is_some_and(|value| patterns(value).contains(&(rule.written, rule.action)))
    };
    view.settings.said(rule.setting).iter().rev().find(says_it).map(|setting| &setting.origin)
}

/// Puts the user's home in the place of a leading `~` or `$HOME`.
fn expanded(pattern: &str, home: Option<&Path>) -> String {
    let rest = match pattern.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Some(rest),
        _ => pattern.strip_prefix("$HOME"),
    };
    match (rest, home) {
        (Some(rest), Some(home)) => format!("{}{rest}", home.display()),
        _ => pattern.to_owned(),
    }
}

/// Tells whether a text matches a pattern as a whole: `*` is any run, `?` one character, a last ` *` may be missing.
fn matches(text: &str, pattern: &str) -> bool {
    let units = |text: &str| text.replace('\\', "/").encode_utf16().collect::<Vec<u16>>();
    let (text, pattern) = (units(text), units(pattern));
    let tail: Vec<u16> = " *".encode_utf16().collect();
    wild(&text, &pattern) || pattern.strip_suffix(tail.as_slice()).is_some_and(|short| wild(&text, short))
}

/// Compares from left to right; after a mismatch the last `*` takes one more.
fn wild(text: &[u16], pattern: &[u16]) -> bool {
    let (star, any) = (u16::from(b'*'), u16::from(b'?'));
    let (mut at, mut next) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(next) {
            Some(&unit) if unit == star => {
                retry = Some((at, next + 1));
                next += 1;
            }
            Some(&unit) if unit == any || unit == text[at] => (at, next) = (at + 1, next + 1),
            _ => match retry {
                Some((from, after)) => {
                    retry = Some((from + 1, after));
                    (at, next) = (from + 1, after);
                }
                None => return false,
            },
        }
    }
    pattern[next..].iter().all(|unit| *unit == star)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let yes = [
            ("deploy-web", "deploy-*"),
            ("", "*"),
            ("a/b\nc", "*"),
            ("abc", "a?c"),
            ("😀", "??"),
            ("a\\b", "a/b"),
            ("ls", "ls *"),
            ("ls -la", "ls *"),
            ("aXbXc", "a*b*c"),
            ("a[1]", "a[1]"),
            ("", " *"),
        ];
        for (text, pattern) in yes {
            assert!(matches(text, pattern), "{text:?} {pattern:?}");
        }
        let no = [("deploy", "deploy-*"), ("lsx", "ls *"), ("😀", "?"), ("A", "a"), ("ab", "a"), ("git", "git * *")];
        for (text, pattern) in no {
            assert!(!matches(text, pattern), "{text:?} {pattern:?}");
        }
    }

    #[test]
    fn homes_in_patterns() {
        let home = Some(Path::new("/h"));
        let rows =
            [("~/x", "/h/x"), ("~", "/h"), ("~x", "~x"), ("$HOME/x", "/h/x"), ("$HOMEx", "/hx"), ("a~/x", "a~/x")];
        for (pattern, expected) in rows {
            assert_eq!(expanded(pattern, home), expected);
        }
    }
}
