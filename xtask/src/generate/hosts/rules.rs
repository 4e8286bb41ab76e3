//! What a host's file states beyond the defaults, and what an edition changes.
//!
//! The program itself is asked: a value that makes no difference to the rules that it reads is not worth a word.

use anyhow::{Context as _, Result};
use openoxide_skills::host::{Host, Layout};
use toml::{Table, Value};

/// Tables that have a form of their own on the page.
const APART: &[&str] = &["vars", "layers", "settings", "roots", "deviations"];

/// Reads a host's file into rules.
pub(super) fn host(table: &Table) -> Result<Host> {
    table.clone().try_into().context("a host's file is not as it must be")
}

/// Lays an edition over a host: tables are merged, anything else is replaced.
pub(super) fn merged(base: &Table, overlay: &Table) -> Table {
    let mut merged = base.clone();
    for (key, value) in overlay {
        let value = match (base.get(key), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => Value::Table(self::merged(inner, over)),
            _ => value.clone(),
        };
        merged.insert(key.clone(), value);
    }
    merged
}

/// Returns the file without what is the default anyway, and with the rules that readers look for first.
pub(super) fn stated(table: &Table) -> Result<Table> {
    let full = debug(table)?;
    let mut stated = table.clone();
    for path in leaves(table) {
        let mut without = table.clone();
        remove(&mut without, &path);
        if debug(&without).is_ok_and(|rules| rules == full) {
            remove(&mut stated, &path);
        }
    }
    for (path, value) in asked(&host(table)?) {
        put(&mut stated, &path, value);
    }
    Ok(stated)
}

/// Returns the part of an edition that makes a difference to the host.
pub(super) fn changes(base: &Table, overlay: &Table) -> Result<Table> {
    let plain = debug(base)?;
    let mut changes = overlay.clone();
    for path in leaves(overlay) {
        let mut with = base.clone();
        let Some(value) = get(overlay, &path) else { continue };
        put(&mut with, &path, value.clone());
        if debug(&with)? == plain {
            remove(&mut changes, &path);
        }
    }
    Ok(changes)
}

fn debug(table: &Table) -> Result<String> {
    Ok(format!("{:?}", host(table)?))
}

/// Returns the rules that are said even where they are the default.
fn asked(host: &Host) -> Vec<(Vec<String>, Value)> {
    let scan = &host.scan;
    let mut asked = vec![
        ("scan.layout", word(scan.layout)),
        ("scan.hidden", word(scan.hidden)),
        ("scan.folder_links", word(scan.folder_links)),
        ("scan.file_links", word(scan.file_links)),
        ("parse.no_frontmatter", word(host.parse.no_frontmatter)),
        ("parse.bad_yaml", word(host.parse.bad_yaml)),
        ("parse.wrong_type", word(host.parse.wrong_type)),
        ("parse.fields.unknown", word(host.parse.fields.unknown)),
        ("collide.names", word(host.collide.names)),
        ("catalog.place", word(host.catalog.place)),
    ];
    if matches!(scan.layout, Layout::Tree | Layout::Flat) {
        asked.push(("scan.depth", Value::Integer(i64::try_from(scan.depth).unwrap_or(i64::MAX))));
    }
    asked.into_iter().map(|(path, value)| (path.split('.').map(str::to_owned).collect(), value)).collect()
}

/// Writes a choice as it stands in the file: `AsFound` becomes `as-found`.
fn word(choice: impl std::fmt::Debug) -> Value {
    let mut word = String::new();
    for (index, letter) in format!("{choice:?}").char_indices() {
        if letter.is_uppercase() && index > 0 {
            word.push('-');
        }
        word.extend(letter.to_lowercase());
    }
    Value::String(word)
}

/// Returns the path of every value that is no table.
fn leaves(table: &Table) -> Vec<Vec<String>> {
    let mut leaves = Vec::new();
    for (key, value) in table.iter().filter(|(key, _)| !APART.contains(&key.as_str())) {
        match value {
            Value::Table(inner) => leaves.extend(self::leaves(inner).into_iter().map(|mut path| {
                path.insert(0, key.clone());
                path
            })),
            _ => leaves.push(vec![key.clone()]),
        }
    }
    leaves
}

fn get<'t>(table: &'t Table, path: &[String]) -> Option<&'t Value> {
    let (first, rest) = path.split_first()?;
    let value = table.get(first)?;
    if rest.is_empty() { Some(value) } else { get(value.as_table()?, rest) }
}

fn put(table: &mut Table, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        table.insert(first.clone(), value);
    } else if let Value::Table(inner) = table.entry(first).or_insert_with(|| Value::Table(Table::new())) {
        put(inner, rest, value);
    }
}

/// Takes a value away, and the tables that are empty without it.
fn remove(table: &mut Table, path: &[String]) {
    let Some((first, rest)) = path.split_first() else { return };
    if let (Some(Value::Table(inner)), false) = (table.get_mut(first), rest.is_empty()) {
        remove(inner, rest);
        if !inner.is_empty() {
            return;
        }
    }
    table.remove(first);
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "title = 'T'\nprogram = 't 1'\nroots = []\n[scan]\ninside_skill = false\nroot_itself = true\n";

    #[test]
    fn defaults_are_left_out() {
        let scan = stated(&HOST.parse().unwrap()).unwrap()["scan"].as_table().unwrap().clone();
        let mut keys: Vec<&String> = scan.keys().collect();
        keys.sort();
        assert_eq!(keys, ["depth", "file_links", "folder_links", "hidden", "layout", "root_itself"]);
        assert_eq!(scan["file_links"].as_str(), Some("skip"));
    }

    #[test]
    fn an_edition_says_only_what_it_changes() {
        let overlay: Table = "[scan]\ninside_skill = true\nroot_itself = true\n".parse().unwrap();
        let changes = changes(&HOST.parse().unwrap(), &overlay).unwrap();
        assert_eq!(changes, "[scan]\ninside_skill = true\n".parse().unwrap());
    }
}
