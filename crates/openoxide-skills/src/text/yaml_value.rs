//! Plain values of YAML: numbers and booleans of the core schema, whole files with their lines, errors as diagnostics.

use std::collections::BTreeMap;

use toml::{Table, Value as Plain};

use super::yaml::{self, Node, Pair, Value, YamlError, YamlErrorKind};
use crate::diagnostic::{Code, Diagnostic};

/// What a YAML file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct YamlFile {
    /// The values; nothing if the file is not a map.
    pub table: Table,
    /// The lines of dotted keys, counted from 1.
    pub lines: BTreeMap<String, usize>,
}

/// Reads YAML into plain values; null is nothing, and of a key that stands twice the last wins.
///
/// ```
/// let file = openoxide_skills::text::read_yaml("skills:\n  enabled: false\n").unwrap();
/// assert_eq!(file.table["skills"]["enabled"].as_bool(), Some(false));
/// assert_eq!(file.lines["skills.enabled"], 2);
/// ```
pub fn read_yaml(text: &str) -> Result<YamlFile, Diagnostic> {
    let text = text.trim_start_matches('\u{feff}');
    let root = yaml::parse(text).map_err(|error| yaml_problem(text, 0, &error))?;
    let mut file = YamlFile::default();
    if let Some(pairs) = root.as_map() {
        file.table = table(text, pairs, "", &mut file.lines);
    }
    Ok(file)
}

fn table(text: &str, pairs: &[Pair<'_>], above: &str, lines: &mut BTreeMap<String, usize>) -> Table {
    let mut table = Table::new();
    for (key, value) in pairs {
        let Some(name) = key.as_text() else { continue };
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        let line = text.get(..key.span.start).map_or(1, |before| before.matches('\n').count() + 1);
        match plain(text, value, &path, lines) {
            Some(value) => drop(table.insert(name.to_owned(), value)),
            None => drop(table.remove(name)),
        }
        lines.insert(path, line);
    }
    table
}

fn plain(text: &str, node: &Node<'_>, path: &str, lines: &mut BTreeMap<String, usize>) -> Option<Plain> {
    Some(match &node.value {
        _ if node.is_null() => return None,
        Value::Scalar { .. } => plain_value(node),
        Value::List(items) => {
            Plain::Array(items.iter().filter_map(|item| plain(text, item, path, &mut BTreeMap::new())).collect())
        }
        Value::Map(pairs) => Plain::Table(table(text, pairs, path, lines)),
    })
}

/// Says what is wrong with YAML that begins at `offset` in a file.
pub(crate) fn yaml_problem(file: &str, offset: usize, error: &YamlError) -> Diagnostic {
    let at = offset + error.offset;
    let line = file.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let indent = file[line..].split(|character| !matches!(character, ' ' | '\t')).next().unwrap_or_default();
    let problem = match error.kind {
        YamlErrorKind::Syntax => {
            Diagnostic::error(Code::BadYaml, format!("the frontmatter is not valid YAML: {}", error.message)).help(
                match indent.contains('\t') {
                    true => "indent with spaces instead of the tab",
                    false => "fix the line, or put quotes around its value",
                },
            )
        }
        YamlErrorKind::Limit => {
            Diagnostic::error(Code::YamlLimit, error.message.as_str()).help("keep the frontmatter short and flat")
        }
    };
    problem.at(file, at..at + 1)
}

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
