//! Converts and combines the values of hosts' settings, as their rules say.

use std::path::Path;

use openoxide_skills::host::{Combine, SettingKind, SettingRule, YesWords};
use openoxide_skills::settings::Setting;
use toml::Value;

pub(super) fn contains_any(value: &Value, words: &[String]) -> bool {
    let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    items.into_iter().any(|item| words.iter().any(|word| word == item))
}

pub(super) fn parse_number(text: &str) -> Option<Value> {
    let text = text.trim();
    text.parse::<i64>().map(Value::Integer).or_else(|_| text.parse::<f64>().map(Value::Float)).ok()
}

pub(super) fn split_list(text: &str, split: Option<&str>) -> Value {
    let parts: Vec<&str> = split.map_or_else(|| vec![text], |split| text.split(split).collect());
    let items = parts.into_iter().map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
}

/// Tells whether a value is of its rule's type.
pub(super) fn is_of_type(rule: &SettingRule, value: &Value) -> bool {
    match rule.kind {
        SettingKind::Bool => value.is_bool(),
        SettingKind::Number => value.is_integer() || value.is_float(),
        SettingKind::Text => value.is_str(),
        SettingKind::List | SettingKind::Rules => value.is_array(),
        SettingKind::Table | SettingKind::Permissions => value.is_table(),
        SettingKind::Plugins => false,
    }
}

/// Describes the values that a setting takes.
pub(crate) fn expected(rule: &SettingRule) -> String {
    match (rule.kind, rule.range) {
        (SettingKind::Bool, _) => "`true` or `false`".to_owned(),
        (SettingKind::Number, Some([least, most])) => format!("a number from {least} to {most}"),
        (SettingKind::Number, None) => "a number".to_owned(),
        (SettingKind::Text, _) => "a text that the host knows".to_owned(),
        (SettingKind::List, _) => "a list of texts".to_owned(),
        (SettingKind::Rules, _) => "a list of tables with `name` or `path`, and `enabled`".to_owned(),
        (SettingKind::Table | SettingKind::Permissions, _) => "a table of words that the host knows".to_owned(),
        (SettingKind::Plugins, _) => "left to the agent: it lists its own plugins".to_owned(),
    }
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

/// Combines the values of a setting: the last wins, or the last `false` does, or they add up.
pub(super) fn combine(rule: &SettingRule, values: Vec<Setting>) -> Option<Setting> {
    if rule.combine == Combine::Strictest
        && let Some(refusal) = values.iter().rfind(|setting| setting.value.as_bool() == Some(false))
    {
        return Some(refusal.clone());
    }
    if rule.combine != Combine::AddUp {
        return values.into_iter().next_back();
    }
    values.into_iter().reduce(|below, above| match (below.value, above.value) {
        (Value::Table(all), Value::Table(more)) if rule.kind == SettingKind::Permissions => {
            Setting { value: Value::Table(merged(all, more)), origin: above.origin }
        }
        (Value::Table(mut all), Value::Table(more)) => {
            all.extend(more);
            Setting { value: Value::Table(all), origin: above.origin }
        }
        (Value::Array(mut all), Value::Array(more)) => {
            all.extend(more);
            Setting { value: Value::Array(all), origin: above.origin }
        }
        (_, value) => Setting { value, origin: above.origin },
    })
}

/// Merges two tables recursively. A key of both keeps its place, because the order of rules matters.
fn merged(mut all: toml::Table, more: toml::Table) -> toml::Table {
    for (key, value) in more {
        let value = match (all.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => Value::Table(merged(std::mem::take(below), above)),
            (_, value) => value,
        };
        all.insert(key, value);
    }
    all
}
