//! The switch of a skill in the text of a settings file: put in and taken out so that nothing else changes.
//!
//! Whatever the format, the values of the new text are compared with what the change means before anything is written, and
//! a text that is written in an unforeseen way is refused.

mod container;
mod json;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

use std::path::Path;

use ::toml::{Table, Value};
use toml_edit::DocumentMut;

use crate::document::dotted_key::join_key;
use crate::document::json::{JsonDialect, parse_json};

/// How a settings file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Toml,
    Yaml,
    Json(JsonDialect),
}

impl Format {
    /// Returns the format of a file by its extension, as it is read.
    pub(crate) fn of(path: &Path, dialect: JsonDialect) -> Format {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => Format::Json(dialect),
            _ if dialect == JsonDialect::WithComments => Format::Json(dialect),
            Some("yml" | "yaml") => Format::Yaml,
            _ => Format::Toml,
        }
    }
}

/// What stands for a skill in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A word in a list of what is off.
    Word { word: String, any_case: bool },
    /// A name in a table of states.
    State { name: String, on: &'static str, off: &'static str },
    /// A rule in a list; the last one about a skill decides. The field is `name` or `path`.
    Rule { field: &'static str, skill: String },
}

/// A change of one skill's switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SwitchChange {
    pub(crate) mark: Mark,
    pub(crate) enabled: bool,
    /// Whether something else than this file switches the skill off, so that it has to be switched on here.
    pub(crate) overrule: bool,
}

/// Why a text is not changed. Each completes the sentence "`FILE` is left as it is: …".
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TextError {
    #[error("it is not {0}")]
    Invalid(String),
    #[error("`{key}` is not a {expected} there; write it as one first")]
    OtherKind { key: String, expected: &'static str },
    #[error("`{key}` is written in a way that cannot be changed without touching something else; change it by hand")]
    NotUnderstood { key: String },
}

/// Changes a switch at a key. The result is empty if nothing but the switch was in the text.
pub(crate) fn switched(text: &str, format: Format, key: &[String], change: &SwitchChange) -> Result<String, TextError> {
    let before = values(text, format).map_err(TextError::Invalid)?;
    let after = match format {
        Format::Json(_) => in_json(text, key, change)?,
        Format::Toml => in_toml(text, key, change)?,
        Format::Yaml => in_yaml(text, key, change)?,
    };
    let not_understood = || TextError::NotUnderstood { key: join_key(key) };
    let now = values(&after, format).map_err(|_| not_understood())?;
    if is_same_elsewhere(before, now, key, change) { Ok(after) } else { Err(not_understood()) }
}

/// Returns the values of a text; an empty one has none.
pub(crate) fn values(text: &str, format: Format) -> Result<Table, String> {
    if text.trim().is_empty() {
        return Ok(Table::new());
    }
    match format {
        Format::Json(dialect) => parse_json(text, dialect),
        Format::Toml => text.parse().map_err(|error: ::toml::de::Error| format!("valid TOML: {}", error.message())),
        Format::Yaml => openoxide_skills::text::read_yaml(text)
            .map(|values| values.table)
            .map_err(|problem| format!("valid YAML: {}", problem.message)),
    }
}

fn in_json(text: &str, key: &[String], change: &SwitchChange) -> Result<String, TextError> {
    let (item, expected) = match &change.mark {
        Mark::Word { word, .. } => (json::Item { key: None, word }, "list"),
        Mark::State { name, on, off } => {
            (json::Item { key: Some(name), word: if change.enabled { on } else { off } }, "table")
        }
        Mark::Rule { .. } => return Err(TextError::NotUnderstood { key: join_key(key) }),
    };
    let other_kind = |error: json::OtherKind| TextError::OtherKind { key: join_key(&key[..=error.part]), expected };
    let add = || json::add(text, key, &item).map_err(other_kind);
    match &change.mark {
        Mark::Word { word, any_case } => {
            let is_it = |found: &str| same_word(found, word, *any_case);
            match change.enabled {
                true => Ok(json::remove(text, key, |_, found| is_it(found))),
                false if has_word(text, key, &is_it) => Ok(text.to_owned()),
                false => add(),
            }
        }
        Mark::State { name, off, .. } if change.enabled => {
            let shorter = json::remove(text, key, |found, word| found == Some(name) && word == *off);
            if shorter == text && change.overrule { add() } else { Ok(shorter) }
        }
        _ => add(),
    }
}

fn has_word(text: &str, key: &[String], is_it: &impl Fn(&str) -> bool) -> bool {
    let table = parse_json(text, JsonDialect::WithComments).unwrap_or_default();
    let list = crate::document::dotted_key::get(&table, &join_key(key)).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).any(is_it)
}

fn same_word(found: &str, word: &str, any_case: bool) -> bool {
    if any_case { found.to_lowercase() == word.to_lowercase() } else { found == word }
}

fn in_toml(text: &str, key: &[String], change: &SwitchChange) -> Result<String, TextError> {
    let not_understood = || TextError::NotUnderstood { key: join_key(key) };
    let Mark::Rule { field, skill } = &change.mark else { return Err(not_understood()) };
    // The crate writes its own line ends, and one at the end of the text.
    let newline = container::newline(text);
    let unix = text.replace("\r\n", "\n");
    let mut document: DocumentMut = unix.parse().map_err(|_| not_understood())?;
    let unchanged = document.to_string();
    let rule = toml::Rule { field, skill, enabled: change.enabled };
    let other_kind = |part: usize| TextError::OtherKind { key: join_key(&key[..=part]), expected: "list of tables" };
    toml::change(&mut document, key, &rule, change.overrule).map_err(other_kind)?;
    let changed = document.to_string();
    if changed == unchanged {
        return Ok(text.to_owned());
    }
    let changed = match !unix.is_empty() && !unix.ends_with('\n') {
        true => changed.strip_suffix('\n').unwrap_or(&changed).to_owned(),
        false => changed,
    };
    let changed = if newline == "\n" { changed } else { changed.replace('\n', newline) };
    Ok(changed)
}

fn in_yaml(text: &str, key: &[String], change: &SwitchChange) -> Result<String, TextError> {
    let not_understood = |_| TextError::NotUnderstood { key: join_key(key) };
    let (Mark::Word { word, any_case }, [key]) = (&change.mark, key) else {
        return Err(TextError::NotUnderstood { key: join_key(key) });
    };
    let is_it = |found: &str| same_word(found, word, *any_case);
    if change.enabled {
        return yaml::remove(text, key, is_it).map_err(not_understood);
    }
    let table = values(text, Format::Yaml).map_err(TextError::Invalid)?;
    let list = table.get(key).and_then(Value::as_array);
    if list.into_iter().flatten().filter_map(Value::as_str).any(is_it) {
        return Ok(text.to_owned());
    }
    yaml::add(text, key, word).map_err(not_understood)
}

/// Tells whether two texts say the same but for the switch, and the switch is as wanted in the second.
fn is_same_elsewhere(before: Table, after: Table, key: &[String], change: &SwitchChange) -> bool {
    let (mut before, mut after) = (Value::Table(before), Value::Table(after));
    take_switch(&mut before, key, &change.mark);
    let is_off = take_switch(&mut after, key, &change.mark);
    before == after && is_off != change.enabled
}

/// Takes everything about a skill out, and what is empty then. Returns whether it was switched off there.
fn take_switch(value: &mut Value, key: &[String], mark: &Mark) -> bool {
    let Some((part, rest)) = key.split_first() else { return take_marks(value, mark) };
    let Some(table) = value.as_table_mut() else { return false };
    let is_off = table.get_mut(part).is_some_and(|inner| take_switch(inner, rest, mark));
    let is_empty =
        |inner: &Value| inner.as_table().is_some_and(Table::is_empty) || inner.as_array().is_some_and(Vec::is_empty);
    if table.get(part).is_some_and(is_empty) {
        table.remove(part);
    }
    is_off
}

fn take_marks(value: &mut Value, mark: &Mark) -> bool {
    match (mark, value) {
        (Mark::Word { word, any_case }, Value::Array(list)) => {
            let count = list.len();
            list.retain(|item| !item.as_str().is_some_and(|item| same_word(item, word, *any_case)));
            list.len() < count
        }
        (Mark::State { name, off, .. }, Value::Table(states)) => {
            states.remove(name).is_some_and(|state| state.as_str() == Some(off))
        }
        (Mark::Rule { field, skill }, Value::Array(rules)) => {
            let is_about = |rule: &Value| rule.get(*field).and_then(Value::as_str) == Some(skill);
            let last = rules.iter().rfind(|rule| is_about(rule)).and_then(|rule| rule.get("enabled")?.as_bool());
            rules.retain(|rule| !is_about(rule));
            last == Some(false)
        }
        _ => false,
    }
}
