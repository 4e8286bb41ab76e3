//! Edits settings files, one change at a time across threads and processes.

mod disk;
pub(crate) mod error;
pub(crate) mod table;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use toml_edit::DocumentMut;

use super::layer::SettingsOwner;
use crate::document::dotted_key::split_key;
use disk::LockedFile;
use error::EditError;
use table::table_at;

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

/// Edits a file. One with nothing left in it is removed. Returns whether it changed; the error type is the caller's, which
/// may refuse a change.
pub(crate) fn edit<E: From<EditError>>(
    path: &Path,
    owner: SettingsOwner,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), E>,
) -> Result<bool, E> {
    locked(path, owner, |file, before| {
        let mut document = parsed(path, before)?;
        change(&mut document)?;
        put(file, before, &document.to_string())
    })
}

/// Edits a file as text, whatever its format. One with nothing left in it is removed. Returns whether it changed.
pub(crate) fn edit_text<E: From<EditError>>(
    path: &Path,
    owner: SettingsOwner,
    change: impl FnOnce(&str) -> Result<String, E>,
) -> Result<bool, E> {
    locked(path, owner, |file, before| put(file, before, &change(before)?))
}

/// Writes the new text of a file, or removes the file if nothing is left in it. Returns whether the text changed.
fn put<E: From<EditError>>(file: &LockedFile, before: &str, after: &str) -> Result<bool, E> {
    let changed = after != before;
    match changed {
        true if after.trim().is_empty() => file.remove().map_err(EditError::Io)?,
        true => file.write(after).map_err(EditError::Io)?,
        false => {}
    }
    Ok(changed)
}

/// Removes the folder of a settings file if nothing is left in it, such as one that was made for the file. Those that are
/// kept are not: the project's, and the user's home.
pub(crate) fn remove_empty_folder(path: &Path, owner: SettingsOwner, kept: &[&Path]) {
    let _editing = EDITING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(folder) = path.parent() else { return };
    if kept.contains(&folder) || !std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()) {
        return;
    }
    // Others that are about to write there hold its lock.
    if let Ok(file) = LockedFile::lock(path, owner) {
        file.remove_folder(owner);
    }
}

/// Holds a file's lock while it is read and changed.
fn locked<E: From<EditError>>(
    path: &Path,
    owner: SettingsOwner,
    change: impl FnOnce(&LockedFile, &str) -> Result<bool, E>,
) -> Result<bool, E> {
    // Each change starts from what the previous one wrote, in this process or another.
    let _editing = EDITING.lock().unwrap_or_else(PoisonError::into_inner);
    let file = LockedFile::lock(path, owner)?;
    let outcome = file.read().map_err(E::from).and_then(|before| change(&file, &before));
    if !matches!(outcome, Ok(true)) {
        file.remove_made();
    }
    outcome
}

/// Reads the text of a file that is about to be edited; empty if there is none.
pub(crate) fn read_text(path: &Path, owner: SettingsOwner) -> Result<String, EditError> {
    disk::read(path, owner)
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

#[cfg(test)]
mod tests;
