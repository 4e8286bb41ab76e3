//! Combines the values of one setting from several places.

use openoxide_skills::host::{Combine, SettingKind, SettingRule};
use openoxide_skills::settings::Setting;
use toml::Value;

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
