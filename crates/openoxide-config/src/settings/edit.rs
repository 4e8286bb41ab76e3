//! Edits settings files, one change at a time across threads and processes.

mod disk;
pub(crate) mod error;
pub(crate) mod table;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use toml_edit::DocumentMut;

use super::layer::SettingsOwner;
use crate::document::dotted_key::split_key;
use error::EditError;
use table::table_at;

/// Serializes the changes of this process, also where no folder can be locked: it may not exist yet, or its filesystem
/// has no locks.
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

/// Edits a file. Returns whether it changed; the error type is the caller's, which may refuse a change.
pub(crate) fn edit<E: From<EditError>>(
    path: &Path,
    owner: SettingsOwner,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), E>,
) -> Result<bool, E> {
    // Each change starts from what the previous one wrote, in this process or another.
    let _editing = EDITING.lock().unwrap_or_else(PoisonError::into_inner);
    let _lock = disk::lock(path, owner)?;
    let (before, mut document) = parse(path, owner)?;
    change(&mut document)?;
    let after = document.to_string();
    if after == before {
        return Ok(false);
    }
    disk::write(path, owner, &after).map_err(EditError::Io)?;
    Ok(true)
}

/// Reads and parses a file as an edit would find it.
pub(crate) fn parse(path: &Path, owner: SettingsOwner) -> Result<(String, DocumentMut), EditError> {
    let text = disk::read(path, owner)?;
    match text.parse::<DocumentMut>() {
        Ok(document) => Ok((text, document)),
        Err(source) => Err(EditError::Invalid { path: path.to_owned(), source: Box::new(source) }),
    }
}

#[cfg(test)]
mod tests;
