//! Edits to `config.toml` that keep comments, order and formatting.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use toml_edit::{DocumentMut, Item, Table, value};

use crate::document::split_key;

mod file;
mod rule;

pub use file::SettingsFile;
pub use rule::add_skill_rule;

/// Held by whoever changes a file.
static TURN: Mutex<()> = Mutex::new(());

/// Why a file cannot be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is not TOML, so that an edit could lose something.
    #[error("`{}` is not valid TOML, so it is left as it is", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: Box<toml_edit::TomlError>,
    },
    /// It is a link, no file, or too large: a project could aim it anywhere.
    #[error("`{}` is left as it is: {why}", path.display())]
    Odd {
        /// The file.
        path: PathBuf,
        /// What is odd about it, and the next step.
        why: &'static str,
    },
    /// A key stands where a table is needed.
    #[error("`{key}` cannot be set, because `{part}` is not a table in `{}`", path.display())]
    NotTable {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The part of it that is something else.
        part: String,
    },
    /// Another process is changing it.
    #[error("`{}` is being changed by another process", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A server that would not count.
    #[error("the server `{name}` cannot be added: {message}")]
    BadServer {
        /// Its name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// Something else stands where a list is needed.
    #[error("`{key}` is not a list in `{}`", path.display())]
    NotList {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
}

/// Sets a dotted key; returns whether the file changed.
pub fn set_value<'p>(file: impl Into<SettingsFile<'p>>, key: &str, new: toml_edit::Value) -> Result<bool, EditError> {
    let file = file.into();
    let path = file.path;
    edit(file, |document| {
        let parts = split_key(key);
        let Some((last, outer)) = parts.split_last() else { return Ok(()) };
        let table = table_at(document, outer, path, key)?;
        put(table, last, new);
        Ok(())
    })
}

/// Sets a value and keeps what stands around the old one, such as a comment behind it.
fn put(table: &mut Table, key: &str, new: toml_edit::Value) {
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        _ => drop(table.insert(key, Item::Value(new))),
    }
}

/// Returns the table that a key is in; tables that are not there are made.
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

/// Adds a text to the list at a dotted key, made if it is not there; returns whether the file changed.
pub fn add_to_list<'p>(file: impl Into<SettingsFile<'p>>, key: &str, text: &str) -> Result<bool, EditError> {
    edit_list(file.into(), key, |list| list.push(text))
}

/// Removes the texts that `is_it` means from the list at a dotted key; returns whether the file changed.
pub fn remove_from_list<'p>(
    file: impl Into<SettingsFile<'p>>,
    key: &str,
    is_it: impl Fn(&str) -> bool,
) -> Result<bool, EditError> {
    edit_list(file.into(), key, |list| list.retain(|item| !item.as_str().is_some_and(&is_it)))
}

fn edit_list(file: SettingsFile<'_>, key: &str, change: impl FnOnce(&mut toml_edit::Array)) -> Result<bool, EditError> {
    let path = file.path;
    edit(file, |document| {
        let parts = split_key(key);
        let Some((last, outer)) = parts.split_last() else { return Ok(()) };
        let item = table_at(document, outer, path, key)?.entry(last).or_insert_with(|| value(toml_edit::Array::new()));
        let list =
            item.as_array_mut().ok_or_else(|| EditError::NotList { path: path.to_owned(), key: key.to_owned() })?;
        change(list);
        Ok(())
    })
}

/// Removes a dotted key; returns whether the file changed.
pub fn unset_value<'p>(file: impl Into<SettingsFile<'p>>, key: &str) -> Result<bool, EditError> {
    let file = file.into();
    edit(file, |document| {
        let parts = split_key(key);
        let Some((last, outer)) = parts.split_last() else { return Ok(()) };
        let mut table = document.as_table_mut();
        for part in outer {
            match table.get_mut(part).and_then(Item::as_table_mut) {
                Some(inner) => table = inner,
                None => return Ok(()),
            }
        }
        table.remove(last);
        Ok(())
    })
}

/// Changes a file, one change at a time; returns whether it changed.
pub(crate) fn edit<'p>(
    file: impl Into<SettingsFile<'p>>,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<bool, EditError> {
    // One change begins with what another one wrote, in this process and beside it.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let file = file.into();
    let path = file.path;
    let _lock = file::lock(file)?;
    let before = file::read(file)?;
    let parsed = before.parse::<DocumentMut>();
    let mut document =
        parsed.map_err(|source| EditError::Invalid { path: path.to_owned(), source: Box::new(source) })?;
    change(&mut document)?;
    let after = document.to_string();
    if after == before {
        return Ok(false);
    }
    file::write(file, &after)?;
    Ok(true)
}

#[cfg(test)]
mod tests;
