//! Converts values of hosts' settings, from variables and files, to the form that their rules expect.

use std::path::Path;

use openoxide_skills::host::{SettingRule, YesWords};
use toml::Value;

/// Tells whether a list contains one of the words.
pub(super) fn contains_any(value: &Value, words: &[String]) -> bool {
    let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    items.into_iter().any(|item| words.iter().any(|word| word == item))
}

/// Parses a number.
pub(super) fn parse_number(text: &str) -> Option<Value> {
    let text = text.trim();
    text.parse::<i64>().map(Value::Integer).or_else(|_| text.parse::<f64>().map(Value::Float)).ok()
}

/// Splits the text of a variable into a list.
pub(super) fn split_list(text: &str, split: Option<&str>) -> Value {
    let parts: Vec<&str> = split.map_or_else(|| vec![text], |split| text.split(split).collect());
    let items = parts.into_iter().map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
}

/// Tells whether a number is within the limits of its rule. Other values have no limits.
pub(super) fn is_in_range(rule: &SettingRule, value: &Value) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "limits are far below what a double holds exactly")]
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    number.is_none_or(|number| rule.range.is_none_or(|[min, max]| (min..=max).contains(&number)))
}

/// Parses a switch. A text that is neither yes nor no stays a text, which is rejected later with a message.
pub(super) fn parse_switch(text: &str, words: YesWords) -> Value {
    let is_yes = match words {
        YesWords::NotNo => !matches!(text, "0" | "false" | "no" | "off"),
        YesWords::True => text.eq_ignore_ascii_case("true") || text == "1",
        YesWords::Listed => match text {
            "true" | "yes" | "on" | "1" | "y" => true,
            "false" | "no" | "off" | "0" | "n" => false,
            _ => return Value::String(text.to_owned()),
        },
    };
    Value::Boolean(is_yes)
}

/// Normalizes permissions: one action for everything becomes a table, and `true` and `false` become actions.
pub(super) fn normalize_permissions(value: &mut Value) {
    if let Value::String(word) = value {
        *value = Value::Table([("*".to_owned(), Value::String(std::mem::take(word)))].into_iter().collect());
    }
    for inner in value.as_table_mut().into_iter().flat_map(toml::Table::iter_mut).map(|(_, inner)| inner) {
        if let Value::Boolean(is_allowed) = *inner {
            *inner = Value::String(if is_allowed { "allow" } else { "deny" }.to_owned());
        }
    }
}

/// Makes the paths in rules absolute; they are relative to the file's folder.
pub(super) fn with_absolute_paths(value: &Value, file: &Path) -> Value {
    let mut value = value.clone();
    let folder = file.parent().unwrap_or(Path::new("/"));
    for rule in value.as_array_mut().into_iter().flatten() {
        if let Some(path) = rule.get("path").and_then(Value::as_str).filter(|path| !path.starts_with(['~', '/'])) {
            let absolute = folder.join(path).to_string_lossy().into_owned();
            if let Value::Table(table) = rule {
                table.insert("path".to_owned(), Value::String(absolute));
            }
        }
    }
    value
}
