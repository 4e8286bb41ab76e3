//! One rule that switches skills on or off: a table with `name` or `path`, and `enabled`.

use toml::{Table, Value};

/// Tells whether a rule can be used as it is written.
pub(super) fn is_valid(rule: &Value) -> bool {
    objection(rule).is_none()
}

/// Returns what a rule must have and lacks.
pub(super) fn objection(rule: &Value) -> Option<&'static str> {
    if text(rule, "name").is_some() == text(rule, "path").is_some() {
        return Some("either `name` or `path`, as text");
    }
    let is_switch = rule.get("enabled").is_some_and(Value::is_bool);
    (!is_switch).then_some("`enabled = true` or `enabled = false`")
}

/// Returns the rules that a bad one stands for: what it names is off, unless it says clearly that it is on.
pub(super) fn stricter(rule: &Value) -> Vec<Value> {
    if rule.get("enabled").and_then(Value::as_bool) == Some(true) {
        return Vec::new();
    }
    let off = |key: &str| {
        let selector = (key.to_owned(), Value::from(text(rule, key)?));
        Some(Value::Table(Table::from_iter([selector, ("enabled".to_owned(), Value::from(false))])))
    };
    ["name", "path"].into_iter().filter_map(off).collect()
}

fn text<'r>(rule: &'r Value, key: &str) -> Option<&'r str> {
    rule.get(key).and_then(Value::as_str)
}
