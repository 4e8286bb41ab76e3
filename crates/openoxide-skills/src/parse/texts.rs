//! Replaces messages by the host's own words, where its users have to recognize them.

use super::parsed::Parsed;
use crate::diagnostic::Diagnostic;
use crate::host::{ParseRules, TextRule};

/// Says findings in the program's words, and puts errors into the order in which it looks.
pub(super) fn say(rules: &ParseRules, file: &str, folder: &str, parsed: &mut Parsed) {
    if rules.texts.is_empty() {
        return;
    }
    let rule_of = |problem: &Diagnostic| rules.texts.iter().position(|rule| fits(rule, problem, file));
    parsed.problems.sort_by_key(|problem| rule_of(problem).filter(|_| problem.is_error()));
    for problem in &mut parsed.problems {
        if let Some(rule) = rule_of(problem).map(|index| &rules.texts[index]) {
            problem.message = rule.text.replace("{folder}", folder).replace("{name}", &parsed.name);
        }
    }
}

fn fits(rule: &TextRule, problem: &Diagnostic, file: &str) -> bool {
    rule.code == problem.code.as_str()
        && file.starts_with(&rule.begins)
        && rule.lines_below.is_none_or(|most| file.split('\n').count() < most)
}
