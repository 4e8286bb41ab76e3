//! Reads YAML scalars as text, booleans or lists, by a host's rules.

use std::borrow::Cow;

use crate::host::{BoolRule, Clean, Dialect, NumberText, ParseRules, Typed};
use crate::text::yaml::{Feature, Node, Value, is_null_text};
use crate::text::yaml_value::{by_value, plain_bool};
use crate::text::{collapse, is_blank};

/// A value where text is wanted.
pub(super) enum Text<'n> {
    Some(Cow<'n, str>),
    Null,
    /// A list or a map, or a number where that is not text.
    WrongType,
}

pub(super) fn text<'n>(node: &'n Node<'_>, rules: &ParseRules) -> Text<'n> {
    let Value::Scalar { text, plain } = &node.value else { return Text::WrongType };
    let is_typed = *plain && !node.is_tagged() && rules.dialect == Dialect::Core;
    let says_type = match node.feature {
        Some(Feature::TypeTag) => rules.typed != Typed::Never,
        // A tag without a value is no text either.
        Some(Feature::Tag) => rules.typed != Typed::Never && *plain && text.is_empty(),
        _ => false,
    };
    if says_type || (is_typed && super::typed::is_typed(text, rules.typed)) {
        return Text::WrongType;
    }
    if is_typed {
        if is_null_text(text) {
            return Text::Null;
        }
        if rules.numbers != NumberText::AsWritten
            && let Some(shown) = by_value(text)
        {
            return match rules.numbers {
                NumberText::NotText => Text::WrongType,
                _ => Text::Some(Cow::Owned(shown)),
            };
        }
    }
    Text::Some(Cow::Borrowed(text))
}

pub(super) fn clean(text: &str, rule: Clean) -> Cow<'_, str> {
    match rule {
        Clean::None => Cow::Borrowed(text),
        Clean::Trim => Cow::Borrowed(text.trim_matches(is_blank)),
        Clean::Collapse => collapse(text),
    }
}

pub(super) fn boolean(node: &Node<'_>, rule: BoolRule) -> Option<bool> {
    let Value::Scalar { text, plain } = &node.value else { return None };
    match rule {
        BoolRule::Core => plain_bool(node),
        BoolRule::Loose => {
            let by_value = by_value(text).filter(|_| *plain).unwrap_or_else(|| text.trim().to_owned());
            match by_value.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Some(true),
                "false" | "no" | "off" | "0" => Some(false),
                _ => None,
            }
        }
    }
}

/// Tells whether a value is no, zero or nothing.
pub(super) fn is_falsy(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Scalar { text, plain: true } => {
            is_null_text(text) || matches!(by_value(text).as_deref(), Some("false" | "0" | "NaN"))
        }
        Value::Scalar { text, .. } => text.is_empty(),
        Value::List(_) | Value::Map(_) => false,
    }
}

/// Tells whether a node is text, and not a number, a yes or no, or nothing.
fn is_text(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Scalar { text, plain } => !plain || (by_value(text).is_none() && !is_null_text(text)),
        _ => false,
    }
}

/// Splits a line of tools at commas and blanks that stand outside parentheses.
pub(super) fn split_tools(text: &str) -> Vec<String> {
    split_outside(text, ['(', ')'], |character| character == ',' || character.is_whitespace())
}

/// Words from a list, or from a line of them.
pub(super) fn words(value: &Node<'_>) -> Vec<String> {
    match &value.value {
        Value::List(items) => items.iter().filter_map(Node::as_text).map(str::to_owned).collect(),
        _ => value.as_text().unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
    }
}

/// Patterns from lists, and from lines that are split at commas outside braces.
pub(super) fn patterns(value: &Node<'_>) -> Vec<String> {
    match &value.value {
        Value::List(items) => items.iter().flat_map(patterns).collect(),
        Value::Scalar { text, .. } if is_text(value) => split_outside(text, ['{', '}'], |character| character == ','),
        _ => Vec::new(),
    }
}

fn split_outside(text: &str, [open, close]: [char; 2], separates: impl Fn(char) -> bool) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|character: char| {
        if character == open {
            depth += 1;
        } else if character == close {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && separates(character)
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
