//! Edits settings files, one change at a time across threads and processes.

mod disk;
pub(crate) mod error;
pub(crate) mod table;

use std::sync::{Mutex, PoisonError};

use toml_edit::{DocumentMut, value};

use super::settings_file::SettingsFile;
use crate::document::dotted_key::split_key;
use error::EditError;
use table::table_at;

/// Serializes the changes of this process, also where no folder can be locked: it may not exist yet, or its filesystem
/// has no locks.
static EDITING: Mutex<()> = Mutex::new(());

/// Adds a text to the list at a dotted key, creating the list if needed. Returns whether the file changed.
pub fn add_to_list<'p>(file: impl Into<SettingsFile<'p>>, key: &str, text: &str) -> Result<bool, EditError> {
    edit_list(file.into(), key, |list| list.push(text))
}

/// Removes the texts that match from the list at a dotted key. Returns whether the file changed.
pub fn remove_from_list<'p>(
    file: impl Into<SettingsFile<'p>>,
    key: &str,
    matches: impl Fn(&str) -> bool,
) -> Result<bool, EditError> {
    edit_list(file.into(), key, |list| list.retain(|item| !item.as_str().is_some_and(&matches)))
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

/// Edits a file. Returns whether it changed; the error type is the caller's, which may refuse a change.
pub(crate) fn edit<'p, E: From<EditError>>(
    file: impl Into<SettingsFile<'p>>,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), E>,
) -> Result<bool, E> {
    let file = file.into();
    // Each change starts from what the previous one wrote, in this process or another.
    let _editing = EDITING.lock().unwrap_or_else(PoisonError::into_inner);
    let _lock = disk::lock(file)?;
    let (before, mut document) = parse(file)?;
    change(&mut document)?;
    let after = document.to_string();
    if after == before {
        return Ok(false);
    }
    disk::write(file, &after).map_err(EditError::Io)?;
    Ok(true)
}

/// Reads and parses a file as an edit would find it.
pub(crate) fn parse(file: SettingsFile<'_>) -> Result<(String, DocumentMut), EditError> {
    let text = disk::read(file)?;
    match text.parse::<DocumentMut>() {
        Ok(document) => Ok((text, document)),
        Err(source) => Err(EditError::Invalid { path: file.path.to_owned(), source: Box::new(source) }),
    }
}

#[cfg(test)]
mod tests;
