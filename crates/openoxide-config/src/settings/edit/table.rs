//! Changes to one key of a parsed TOML document that keep comments, order and formatting.

use std::path::Path;

use toml_edit::{DocumentMut, Item, Table};

use super::error::EditError;
use crate::document::dotted_key::{join_key, split_key};
use crate::entry::kept_at_new_endpoint;

/// Sets a dotted key. Returns the keys that were removed together with the old value.
///
/// A server with another command or address is another server. It must not get what was meant for the old one: tokens,
/// variables, arguments.
pub(crate) fn set_key(
    document: &mut DocumentMut,
    path: &Path,
    key: &str,
    new: toml_edit::Value,
) -> Result<Vec<String>, EditError> {
    let parts = split_key(key);
    let Some((last, outer)) = parts.split_last() else { return Ok(Vec::new()) };
    let table = table_at(document, outer, path, key)?;
    let kept = kept_at_new_endpoint(&parts);
    let dropped = kept.map(|kept| reset_entry(table, last, &new, kept)).unwrap_or_default();
    put(table, last, new);
    Ok(dropped.into_iter().map(|field| join_key(&[outer, &[field]].concat())).collect())
}

/// Removes the fields of a server or model that belong to its old endpoint. Returns their names.
fn reset_entry(entry: &mut Table, endpoint: &str, new: &toml_edit::Value, kept: &[&str]) -> Vec<String> {
    if entry.get(endpoint).and_then(Item::as_str).is_some_and(|old| Some(old) == new.as_str()) {
        return Vec::new();
    }
    let fields: Vec<String> = entry.iter().map(|(field, _)| field.to_owned()).collect();
    let is_old = |field: &String| field != endpoint && !kept.contains(&field.as_str());
    let dropped: Vec<String> = fields.into_iter().filter(is_old).collect();
    for field in &dropped {
        entry.remove(field);
    }
    dropped
}

/// Sets a value and keeps the decoration of the old one, such as a comment behind it.
pub(crate) fn put(table: &mut Table, key: &str, new: toml_edit::Value) {
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        _ => drop(table.insert(key, Item::Value(new))),
    }
}

/// Returns the table of a key, creating the tables that are missing.
pub(crate) fn table_at<'d>(
    document: &'d mut DocumentMut,
    outer: &[String],
    path: &Path,
    key: &str,
) -> Result<&'d mut Table, EditError> {
    let mut table = document.as_table_mut();
    for part in outer {
        let item = table.entry(part).or_insert_with(|| {
            let mut inner = Table::new();
            inner.set_implicit(true);
            Item::Table(inner)
        });
        table = item.as_table_mut().ok_or_else(|| EditError::NotTable {
            path: path.to_owned(),
            key: key.to_owned(),
            part: part.clone(),
        })?;
    }
    Ok(table)
}

pub(crate) fn unset_key(document: &mut DocumentMut, key: &str) {
    let parts = split_key(key);
    let Some((last, outer)) = parts.split_last() else { return };
    let mut table = document.as_table_mut();
    for part in outer {
        match table.get_mut(part).and_then(Item::as_table_mut) {
            Some(inner) => table = inner,
            None => return,
        }
    }
    table.remove(last);
}
