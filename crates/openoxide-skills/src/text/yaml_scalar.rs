//! Plain YAML scalars by their value: numbers and booleans of the core schema.

use super::yaml::{Node, Value};

/// Returns the yes or no of a scalar in YAML's core schema.
pub(crate) fn plain_bool(node: &Node<'_>) -> Option<bool> {
    match &node.value {
        Value::Scalar { text, plain: true } => bool_of(text),
        _ => None,
    }
}

pub(crate) fn bool_of(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Returns a scalar as a plain value: yes or no, a number, or text.
pub(crate) fn plain_value(node: &Node<'_>) -> toml::Value {
    let Value::Scalar { text, plain } = &node.value else { return toml::Value::Array(Vec::new()) };
    if let Some(value) = plain_bool(node) {
        return value.into();
    }
    let number = by_value(text).filter(|_| *plain).unwrap_or_default();
    match (number.parse::<i64>(), number.parse::<f64>()) {
        (Ok(whole), _) => whole.into(),
        (_, Ok(number)) => number.into(),
        _ => text.to_string().into(),
    }
}

/// Writes a number or boolean of YAML's core schema by its value; other text is not one.
pub(crate) fn by_value(text: &str) -> Option<String> {
    if let Some(value) = bool_of(text) {
        return Some(value.to_string());
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some("NaN".to_owned());
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
