//! Edits to `config.toml` that keep comments, order and formatting.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use toml_edit::{DocumentMut, Item, Table, value};

use crate::document::{join_key, split_key};
use crate::mcp;

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

impl EditError {
    /// Returns the stable word for the error: every face shows the same one. The message has the next step.
    pub fn word(&self) -> &'static str {
        "not-written"
    }
}

/// Sets a dotted key; returns the keys that had to go with the old value.
///
/// A server that is reached in another way is another server, and gets nothing that was meant for the old one: no token,
/// no variables, no arguments.
pub(crate) fn set_in(
    document: &mut DocumentMut,
    path: &Path,
    key: &str,
    new: toml_edit::Value,
) -> Result<Vec<String>, EditError> {
    let parts = split_key(key);
    let Some((last, outer)) = parts.split_last() else { return Ok(Vec::new()) };
    let table = table_at(document, outer, path, key)?;
    let dropped = if mcp::is_way(&parts) { start_anew(table, last, &new) } else { Vec::new() };
    put(table, last, new);
    Ok(dropped.into_iter().map(|field| join_key(&[outer, &[field]].concat())).collect())
}

/// Takes out of a server what belongs to the way that it was reached; returns what that was.
fn start_anew(server: &mut Table, way: &str, new: &toml_edit::Value) -> Vec<String> {
    if server.get(way).and_then(Item::as_str).is_some_and(|old| Some(old) == new.as_str()) {
        return Vec::new();
    }
    let others: Vec<String> = server.iter().map(|(field, _)| field.to_owned()).collect();
    let goes = |field: &String| field != way && field != "enabled";
    let dropped: Vec<String> = others.into_iter().filter(goes).collect();
    for field in &dropped {
        server.remove(field);
    }
    dropped
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

/// Removes a dotted key.
pub(crate) fn unset_in(document: &mut DocumentMut, key: &str) {
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

/// Changes a file, one change at a time; returns whether it changed.
pub(crate) fn edit<'p>(
    file: impl Into<SettingsFile<'p>>,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<bool, EditError> {
    edit_if(file.into(), change)
}

/// Does the same where there are other reasons not to.
pub(crate) fn edit_if<E: From<EditError>>(
    file: SettingsFile<'_>,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), E>,
) -> Result<bool, E> {
    // One change begins with what another one wrote, in this process and beside it.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let _lock = file::lock(file)?;
    let (before, mut document) = parsed(file)?;
    change(&mut document)?;
    let after = document.to_string();
    if after == before {
        return Ok(false);
    }
    file::write(file, &after).map_err(EditError::Io)?;
    Ok(true)
}

/// Reads a file as it would be edited.
pub(crate) fn parsed(file: SettingsFile<'_>) -> Result<(String, DocumentMut), EditError> {
    let text = file::read(file)?;
    match text.parse::<DocumentMut>() {
        Ok(document) => Ok((text, document)),
        Err(source) => Err(EditError::Invalid { path: file.path.to_owned(), source: Box::new(source) }),
    }
}

#[cfg(test)]
mod tests;
