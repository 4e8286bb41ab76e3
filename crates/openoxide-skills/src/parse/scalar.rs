//! Types of plain YAML scalars, and how values are written as text.

use std::borrow::Cow;

use crate::host::{BoolRule, Clean, Dialect, NumberText, ParseRules, Typed};
use crate::text::{collapse, is_blank};
use crate::yaml::{Feature, Node, Value, is_null_text};

/// A value where text is wanted.
pub(super) enum Text<'n> {
    /// Text.
    Some(Cow<'n, str>),
    /// Null.
    Null,
    /// A list or a map, or a number where that is not text.
    WrongType,
}

/// Returns the text of a node by a host's rules.
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

/// Cleans a value as the host does.
pub(super) fn clean(text: &str, rule: Clean) -> Cow<'_, str> {
    match rule {
        Clean::None => Cow::Borrowed(text),
        Clean::Trim => Cow::Borrowed(text.trim_matches(is_blank)),
        Clean::Collapse => collapse(text),
    }
}

/// Returns the yes or no of a node.
pub(super) fn boolean(node: &Node<'_>, rule: BoolRule) -> Option<bool> {
    let Value::Scalar { text, plain } = &node.value else { return None };
    match rule {
        BoolRule::Core if !plain => None,
        BoolRule::Core => match text.as_ref() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        },
        BoolRule::Loose => match number_text(text, *plain).to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        },
    }
}

/// Returns the text of a scalar, a number by its value.
fn number_text(text: &str, plain: bool) -> String {
    plain.then(|| by_value(text)).flatten().unwrap_or_else(|| text.trim().to_owned())
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
pub(super) fn is_text(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Scalar { text, plain } => !plain || (by_value(text).is_none() && !is_null_text(text)),
        _ => false,
    }
}

/// Returns a scalar as a plain value: yes or no, a number, or text.
pub(crate) fn plain_value(node: &Node<'_>) -> toml::Value {
    let Value::Scalar { text, plain } = &node.value else { return toml::Value::Array(Vec::new()) };
    match by_value(text).filter(|_| *plain).as_deref() {
        Some("true") => true.into(),
        Some("false") => false.into(),
        Some(number) => match (number.parse::<i64>(), number.parse::<f64>()) {
            (Ok(whole), _) => whole.into(),
            (_, Ok(number)) => number.into(),
            _ => text.to_string().into(),
        },
        None => text.to_string().into(),
    }
}

/// Writes a number or boolean of YAML's core schema by its value; other text is not one.
pub(super) fn by_value(text: &str) -> Option<String> {
    match text {
        "true" | "True" | "TRUE" => return Some("true".to_owned()),
        "false" | "False" | "FALSE" => return Some("false".to_owned()),
        ".nan" | ".NaN" | ".NAN" => return Some("NaN".to_owned()),
        _ => {}
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        return Some(if sign < 0.0 { "-Infinity" } else { "Infinity" }.to_owned());
    }
    number(digits).map(|value| shortest(sign * value))
}

#[expect(clippy::cast_precision_loss, reason = "numbers are doubles in the programs that do this")]
fn number(digits: &str) -> Option<f64> {
    let radix = |prefix: &str, radix| {
        let rest = digits.strip_prefix(prefix)?;
        u64::from_str_radix(rest, radix).ok().map(|value| value as f64)
    };
    if let Some(value) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(value);
    }
    let shape = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    let first = digits.bytes().next().filter(|byte| byte.is_ascii_digit() || *byte == b'.')?;
    (shape && (first != b'.' || digits.len() > 1)).then(|| digits.parse().ok()).flatten()
}

/// Writes a double in the shortest decimal form, with an exponent for the very large and very small.
fn shortest(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs();
    if (1e-6..1e21).contains(&magnitude) {
        return format!("{value}");
    }
    let shown = format!("{value:e}");
    match shown.split_once('e') {
        Some((mantissa, exponent)) if !exponent.starts_with('-') => format!("{mantissa}e+{exponent}"),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_value() {
        let rows = [
            ("1.0", "1"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("017", "17"),
            ("1e3", "1000"),
            ("1e21", "1e+21"),
            (".5", "0.5"),
            ("5.", "5"),
            ("+1", "1"),
            ("-0", "0"),
            (".inf", "Infinity"),
            ("True", "true"),
            ("9007199254740993", "9007199254740992"),
            ("1e-7", "1e-7"),
        ];
        for (source, shown) in rows {
            assert_eq!(by_value(source).as_deref(), Some(shown), "{source}");
        }
        for text in ["12:30", "1_000", "0b101", "inf", "yes", "0x", "1e", "2024-01-01", "v1", "-", ".", "1.2.3"] {
            assert_eq!(by_value(text), None, "{text}");
        }
    }
}
