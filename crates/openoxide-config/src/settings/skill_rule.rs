//! Writes the rules under `[[skills.config]]` that switch skills on and off.

use std::path::Path;

use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Table, Value, value};

use super::edit::table::{put, table_at};
use super::{edit::edit, edit::error::EditError, layer::SettingsOwner};

/// The key of the rules.
const RULES_KEY: &str = "skills.config";

/// Switches a skill on or off under `[[skills.config]]`. Returns whether the file changed.
///
/// `field` is `name` or `path`, `skill` its value. A rule for the same skill is changed in place, unless a later rule
/// would override it.
pub(crate) fn add_skill_rule(
    path: &Path,
    owner: SettingsOwner,
    field: &str,
    skill: &str,
    enabled: bool,
) -> Result<bool, EditError> {
    edit(path, owner, |document| {
        let table = table_at(document, &["skills".to_owned()], path, RULES_KEY)?;
        let rules = table.entry("config").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        match rules {
            Item::ArrayOfTables(rules) => put_last(rules, field, skill, enabled),
            Item::Value(Value::Array(rules)) => put_last_inline(rules, field, skill, enabled),
            _ => return Err(EditError::NotList { path: path.to_owned(), key: RULES_KEY.to_owned() }),
        }
        Ok(())
    })
}

/// Makes the rule for a skill the last one, so that it wins. Its comments move with it.
fn put_last(rules: &mut ArrayOfTables, field: &str, skill: &str, enabled: bool) {
    let matches = |rule: &Table| rule.get(field).and_then(Item::as_str) == Some(skill);
    let last = rules.len().checked_sub(1);
    if last.and_then(|last| rules.get(last)).is_some_and(matches) {
        if let Some(rule) = last.and_then(|last| rules.get_mut(last)) {
            put(rule, "enabled", enabled.into());
        }
        return;
    }
    let existing = rules.iter().find(|rule| matches(rule)).cloned();
    rules.retain(|rule| !matches(rule));
    let mut rule = existing.unwrap_or_else(|| {
        let mut rule = Table::new();
        rule.insert(field, value(skill));
        rule
    });
    rule.set_position(None);
    put(&mut rule, "enabled", enabled.into());
    rules.push(rule);
}

fn put_last_inline(rules: &mut Array, field: &str, skill: &str, enabled: bool) {
    rules.retain(|rule| rule.as_inline_table().and_then(|rule| rule.get(field)?.as_str()) != Some(skill));
    let mut rule = InlineTable::new();
    rule.insert(field, skill.into());
    rule.insert("enabled", enabled.into());
    rules.push(rule);
}
