//! Applies rules to shell commands: an allow must match every part, an ask or a deny any of them.
//!
//! Each form of a command is judged on its own, and the strictest result applies. So a part that asks never hides another
//! part that is denied.

use crate::shell::{Simple, Split, split};
use crate::wildcard::{wildcard, wildcard_shell};
use crate::{Action, Rule, Rules};

/// Returns the action for a command, and the rule that decides.
pub(crate) fn deciding<'r>(rules: &'r Rules, permission: &str, text: &str) -> (Action, Option<&'r Rule>) {
    let script = split(text);
    let mut strictest: Option<(Action, Option<&Rule>)> = None;
    for unit in units(&script) {
        let rule = rules.last(|rule| rule.is_about(permission) && unit.is_matched_by(rule, text));
        let action = rule.map_or(Action::Ask, |rule| rule.action);
        // Commands can be denied together, but are allowed one by one. Of equal results the first applies.
        let applies = action == Action::Deny || !matches!(unit, Unit::All(_));
        if applies && strictest.is_none_or(|(so_far, _)| action > so_far) {
            strictest = Some((action, rule));
        }
    }
    strictest.unwrap_or((Action::Ask, None))
}

/// Returns whether a single rule matches a whole command.
pub(crate) fn rule_matches(rule: &Rule, text: &str) -> bool {
    let script = split(text);
    match (rule.action, &script) {
        (Action::Allow, Split::Commands(commands)) => is_whole(rule, text) || all_match(rule, commands),
        (Action::Allow, Split::Unknown { .. }) => is_whole(rule, text),
        (Action::Ask | Action::Deny, _) => units(&script).iter().any(|unit| unit.is_matched_by(rule, text)),
    }
}

/// A part of a script that rules are compared with.
enum Unit<'s> {
    /// A text that is not understood: the whole, or one guessed form of a part.
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
    /// Returns whether a rule matches. An allow must match the command as it is written; the others match any form of it.
    fn is_matched_by(&self, rule: &Rule, text: &str) -> bool {
        let matches = match (rule.action, self) {
            (Action::Allow, Unit::All(commands)) => all_match(rule, commands),
            (Action::Allow, Unit::One(command, _)) => wildcard_shell(&rule.expanded, &command.written),
            (Action::Allow, Unit::Unknown(_)) => false,
            (_, Unit::Unknown(None) | Unit::All(_)) => wildcard(&rule.expanded, text),
            (_, Unit::Unknown(Some(form)) | Unit::One(_, form)) => wildcard(&rule.expanded, form),
        };
        matches || is_whole(rule, text)
    }
}

fn all_match(rule: &Rule, commands: &[Simple]) -> bool {
    commands.iter().all(|command| wildcard_shell(&rule.expanded, &command.written))
}

/// Returns whether a rule names a text as a whole, whatever it contains.
fn is_whole(rule: &Rule, text: &str) -> bool {
    let pattern = rule.expanded.as_str();
    pattern == "*" || pattern == text || pattern == text.trim()
}

#[cfg(test)]
mod tests;
