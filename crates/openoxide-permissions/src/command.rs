//! Rules on commands: an allow needs every part, a deny or a question any of them.
//!
//! A command is judged under each of its forms, and the strictest answer counts; so a question about one part never
//! hides that another one is denied.

use crate::rule::{Action, Rule, Rules};
use crate::shell::{Simple, Split, split};
use crate::wildcard::{wildcard, wildcard_apart};

/// Returns what rules say about a command, and the rule that decides.
pub(crate) fn deciding<'r>(rules: &'r Rules, permission: &str, text: &str) -> (Action, Option<&'r Rule>) {
    let script = split(text);
    let mut strictest: Option<(Action, Option<&Rule>)> = None;
    for unit in units(&script) {
        let rule = rules.last(|rule| rule.is_about(permission) && unit.is_hit(rule, text));
        let action = rule.map_or(Action::Ask, |rule| rule.action);
        // Together, commands can be denied; whether they are allowed is said of each. Of equal answers the first counts.
        let counts = action == Action::Deny || !matches!(unit, Unit::All(_));
        if counts && strictest.is_none_or(|(so_far, _)| action > so_far) {
            strictest = Some((action, rule));
        }
    }
    strictest.unwrap_or((Action::Ask, None))
}

/// Tells whether a rule alone is a match for a whole command.
pub(crate) fn rule_matches(rule: &Rule, text: &str) -> bool {
    let script = split(text);
    match (rule.action, &script) {
        (Action::Allow, Split::Commands(commands)) => is_whole(rule, text) || all_match(rule, commands),
        (Action::Allow, Split::Unknown { .. }) => is_whole(rule, text),
        (Action::Ask | Action::Deny, _) => units(&script).iter().any(|unit| unit.is_hit(rule, text)),
    }
}

/// What rules are compared with, one at a time.
enum Unit<'s> {
    /// A text that is not understood, as a whole or under one of the forms that are guessed.
    Unknown(Option<&'s str>),
    /// All commands together.
    All(&'s [Simple]),
    /// One command, as it is written or under another form.
    One(&'s Simple, &'s str),
}

fn units(script: &Split) -> Vec<Unit<'_>> {
    match script {
        Split::Unknown { parts } => {
            let forms = parts.iter().map(|form| Unit::Unknown(Some(form)));
            std::iter::once(Unit::Unknown(None)).chain(forms).collect()
        }
        Split::Commands(commands) => {
            let each = commands.iter().flat_map(|command| {
                let forms = std::iter::once(&command.written).chain(&command.forms);
                forms.map(move |form| Unit::One(command, form))
            });
            std::iter::once(Unit::All(commands)).chain(each).collect()
        }
    }
}

impl Unit<'_> {
    /// Tells whether a rule matches. An allow needs the command as it is written; the others take any form of it.
    fn is_hit(&self, rule: &Rule, text: &str) -> bool {
        let matches = match (rule.action, self) {
            (Action::Allow, Unit::All(commands)) => all_match(rule, commands),
            (Action::Allow, Unit::One(command, _)) => wildcard_apart(rule.compared(), &command.written),
            (Action::Allow, Unit::Unknown(_)) => false,
            (_, Unit::Unknown(None) | Unit::All(_)) => wildcard(rule.compared(), text),
            (_, Unit::Unknown(Some(form)) | Unit::One(_, form)) => wildcard(rule.compared(), form),
        };
        matches || is_whole(rule, text)
    }
}

fn all_match(rule: &Rule, commands: &[Simple]) -> bool {
    commands.iter().all(|command| wildcard_apart(rule.compared(), &command.written))
}

/// Tells whether a rule is about a text as a whole, whatever is in it.
fn is_whole(rule: &Rule, text: &str) -> bool {
    let pattern = rule.compared();
    pattern == "*" || pattern == text || pattern == text.trim()
}

#[cfg(test)]
mod tests;
