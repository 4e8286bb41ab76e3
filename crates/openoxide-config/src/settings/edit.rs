//! Edits settings files, one change at a time across threads and processes.

mod disk;
pub(crate) mod error;
pub(crate) mod table;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::layer::SettingsOwner;
use crate::document::dotted_key::split_key;
use disk::LockedFile;
use error::EditError;
use table::{put, table_at};

/// The key of the rules that switch skills on and off.
const RULES_KEY: &str = "skills.config";

/// Serializes the changes of this process, also where no folder can be locked: its filesystem may have no locks.
static EDITING: Mutex<()> = Mutex::new(());

/// Removes the texts that match from the list at a dotted key of the user's file. Returns whether the file changed.
pub fn remove_from_list(path: &Path, key: &str, matches: impl Fn(&str) -> bool) -> Result<bool, EditError> {
    edit(path, SettingsOwner::User, |document| {
        let parts = split_key(key);
        let Some((last, outer)) = parts.split_last() else { return Ok(()) };
        let Some(item) = table_at(document, outer, path, key)?.get_mut(last) else { return Ok(()) };
        let not_list = || EditError::NotList { path: path.to_owned(), key: key.to_owned() };
        let list = item.as_array_mut().ok_or_else(not_list)?;
        list.retain(|item| !item.as_str().is_some_and(&matches));
        Ok(())
    })
}

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

/// Edits a file. Returns whether it changed; the error type is the caller's, which may refuse a change.
pub(crate) fn edit<E: From<EditError>>(
    path: &Path,
    owner: SettingsOwner,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), E>,
) -> Result<bool, E> {
    // Each change starts from what the previous one wrote, in this process or another.
    let _editing = EDITING.lock().unwrap_or_else(PoisonError::into_inner);
    let file = LockedFile::lock(path, owner)?;
    let outcome = edit_locked(&file, change);
    if !matches!(outcome, Ok(true)) {
        file.remove_made();
    }
    outcome
}

fn edit_locked<E: From<EditError>>(
    file: &LockedFile,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), E>,
) -> Result<bool, E> {
    let before = file.read()?;
    let mut document = parsed(file.path(), &before)?;
    change(&mut document)?;
    let after = document.to_string();
    if after == before {
        return Ok(false);
    }
    file.write(&after).map_err(EditError::Io)?;
    Ok(true)
}

/// Returns the values of a document as a reader gets them.
pub(crate) fn values(document: &DocumentMut) -> toml::Table {
    document.to_string().parse().unwrap_or_default()
}

/// Reads and parses a file as an edit would find it.
pub(crate) fn parse(path: &Path, owner: SettingsOwner) -> Result<(String, DocumentMut), EditError> {
    let text = disk::read(path, owner)?;
    let document = parsed(path, &text)?;
    Ok((text, document))
}

fn parsed(path: &Path, text: &str) -> Result<DocumentMut, EditError> {
    let invalid = |source| EditError::Invalid { path: path.to_owned(), source: Box::new(source) };
    text.parse::<DocumentMut>().map_err(invalid)
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

#[cfg(test)]
mod tests;
