//! Checks the texts of a frontmatter: that they are there, and not too long.

use std::borrow::Cow;

use super::scalar::{self, Text};
use super::{parsed::Source, problems::no_description};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::host::{EmptyText, LengthUnit, ParseRules};
use crate::text::utf16_len;
use crate::text::yaml::{Node, Pair, value_of};

/// Returns the length of a text in the unit of a host's limits.
pub(super) fn length(text: &str, unit: LengthUnit) -> usize {
    match unit {
        LengthUnit::Characters => text.chars().count(),
        LengthUnit::Utf16 => utf16_len(text),
        LengthUnit::Bytes => text.len(),
    }
}

/// Checks the lengths of the texts, in the order of the standard's fields.
pub(super) fn check_texts(rules: &ParseRules, source: Source<'_>, pairs: &[Pair<'_>]) -> Vec<Diagnostic> {
    let description = match value_of(pairs, "description") {
        Some(value) => description(rules, source, value),
        None => rules.description.required.then(|| {
            let first_line = 0..source.file.find('\n').unwrap_or(0);
            no_description(source.file, first_line, "the frontmatter has no `description`")
        }),
    };
    let compatibility = value_of(pairs, "compatibility").and_then(|value| compatibility(rules, source, value));
    description.into_iter().chain(compatibility).collect()
}

fn description(rules: &ParseRules, source: Source<'_>, value: &Node<'_>) -> Option<Diagnostic> {
    let span = source.span(&value.span);
    let text = match scalar::text(value, rules) {
        Text::Some(text) => text,
        Text::Null => Cow::Borrowed(""),
        Text::WrongType => return None,
    };
    if text.trim().is_empty() && rules.description.empty == EmptyText::Allowed {
        return None;
    }
    if text.trim().is_empty() && rules.description.empty != EmptyText::Kept {
        let level = if rules.description.required { Level::Error } else { Level::Warning };
        let problem = Diagnostic::new(Code::DescriptionEmpty, level, "`description` is empty").at(source.file, span);
        return Some(problem.help("say what the skill does and when to use it"));
    }
    let text = if rules.description.max_trimmed { text.trim() } else { &text };
    let most = rules.description.max.or(rules.description.max_advised).unwrap_or(usize::MAX);
    if text.len() <= most {
        return None;
    }
    let length = length(text, rules.lengths);
    let (level, max) = match (rules.description.max, rules.description.max_advised) {
        (Some(max), _) if length > max => (Level::Error, max),
        (_, Some(max)) if length > max => (Level::Warning, max),
        _ => return None,
    };
    let message = format!("the description has {length} {}, {max} are allowed", rules.lengths.as_str());
    let help = "shorten it; details belong in the body";
    Some(Diagnostic::new(Code::DescriptionLength, level, message).at(source.file, span).help(help))
}

fn compatibility(rules: &ParseRules, source: Source<'_>, value: &Node<'_>) -> Option<Diagnostic> {
    let Some(text) = value.as_text() else {
        let problem = || source.error(&value.span, Code::WrongType, "`compatibility` must be text");
        return rules
            .fields
            .strict
            .iter()
            .any(|key| key == "compatibility")
            .then(|| problem().help("write one line of text"));
    };
    let max = rules.fields.compatibility_max?;
    let length = length(text, rules.lengths);
    if length <= max {
        return None;
    }
    let message = format!("`compatibility` has {length} {}, {max} are allowed", rules.lengths.as_str());
    Some(source.error(&value.span, Code::CompatibilityLength, message).help("shorten it"))
}
