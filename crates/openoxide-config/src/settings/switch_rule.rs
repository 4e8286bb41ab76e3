//! One rule that switches skills on or off: a table with `name` or `path`, and `enabled`.

use toml::{Table, Value};

/// What a rule can select skills by.
const SELECTORS: [&str; 2] = ["name", "path"];

/// Tells whether a rule can be used as it is written.
pub(super) fn is_valid(rule: &Value) -> bool {
    objection(rule).is_none()
}

/// Returns what is wrong with a rule.
pub(super) fn objection(rule: &Value) -> Option<String> {
    let Some(table) = rule.as_table() else {
        return Some("must be a table with `name` or `path`, and `enabled`".to_owned());
    };
    match selectors(rule).collect::<Vec<_>>()[..] {
        [] => return Some("must have `name` or `path`".to_owned()),
        [(_, Value::String(_))] => {}
        [(key, _)] => return Some(format!("must have `{key}` as text")),
        _ => return Some("must have `name` or `path`, not both".to_owned()),
    }
    if !table.get("enabled").is_some_and(Value::is_bool) {
        return Some("must have `enabled = true` or `enabled = false`".to_owned());
    }
    let unknown = table.keys().find(|key| *key != "enabled" && !SELECTORS.contains(&key.as_str()));
    unknown.map(|key| format!("has an unknown key, `{key}`"))
}

/// Returns the rules that a bad one stands for: what it names is off, unless it says clearly that it is on.
pub(super) fn stricter(rule: &Value) -> Vec<Value> {
    if is_on(rule) {
        return Vec::new();
    }
    let off = |(key, selector): (&str, &Value)| {
        let selector = (key.to_owned(), Value::from(selector.as_str()?));
        Some(Value::Table(Table::from_iter([selector, ("enabled".to_owned(), Value::from(false))])))
    };
    selectors(rule).filter_map(off).collect()
}

/// Tells whether a rule may be meant to switch off something whose name cannot be read.
pub(super) fn hides_a_name(rule: &Value) -> bool {
    let mut selectors = selectors(rule).peekable();
    !is_on(rule) && (selectors.peek().is_none() || selectors.any(|(_, selector)| !selector.is_str()))
}

fn is_on(rule: &Value) -> bool {
    rule.get("enabled").and_then(Value::as_bool) == Some(true)
}

fn selectors(rule: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    SELECTORS.into_iter().filter_map(|key| Some((key, rule.get(key)?)))
}
