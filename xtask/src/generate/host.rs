//! The page on `host.toml`: every table and key, drawn from its JSON Schema.

mod keys;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde_json::Value;

use self::keys::reference;
pub(super) use self::keys::{Files, Keys};
use super::NOTICE;
use super::markdown::{code, table};

const INTRODUCTION: &str = "\
# `host.toml`

A host is a folder with `host.toml`, two templates, and editions as overlays. Built-in hosts lie in
[`crates/openoxide-skills/hosts/`](../../crates/openoxide-skills/hosts); yours in `$OPENOXIDE_HOME/hosts/NAME/`
(`~/.openoxide/hosts/NAME/`). Unknown keys are errors. The JSON Schema is
[`schemas/host.toml.json`](../../schemas/host.toml.json).

| file | what it holds |
| --- | --- |
| `host.toml` | the rules below |
| `entry.jinja` | how one skill is written for the model |
| `catalog.jinja` | the text around all of them |
| `editions/NAME.toml` | what differs in another version; tables are merged, anything else is replaced |
";

/// Returns the page.
pub(super) fn page(schema: &Value, files: &Files) -> Result<String> {
    let keys = Keys::count(schema, files)?;
    let counted = counted(&keys, files.len());
    let mut pages = Pages { schema, keys, tables: String::new(), choices: Vec::new(), seen: BTreeSet::new() };
    pages.table("Top level", "", schema)?;
    let mut text = format!("{NOTICE}{INTRODUCTION}{counted}{}", pages.tables);
    text.push_str("\n## Choices\n");
    for name in std::mem::take(&mut pages.choices) {
        text.push_str(&choice(&name, pages.definition(&name)?));
    }
    Ok(text)
}

/// Says how many keys there are, and what the numbers beside them mean.
fn counted(keys: &Keys, hosts: usize) -> String {
    format!(
        "\nThere are {} keys; {} of them are set by one host. The column *hosts* says how many of the {hosts} built-in \
         hosts set a key, in `host.toml`, in an edition, or by a setting that `sets` it.\n",
        keys.total(),
        keys.set_by(1).len(),
    )
}

/// The page while it is drawn: tables in the order in which they are met, then the choices they refer to.
struct Pages<'s> {
    schema: &'s Value,
    keys: Keys,
    tables: String,
    choices: Vec<String>,
    seen: BTreeSet<String>,
}

impl Pages<'_> {
    /// Draws a table, then those inside it that were not drawn before.
    fn table(&mut self, heading: &str, definition: &str, schema: &Value) -> Result<()> {
        let properties = schema["properties"].as_object().context("a table of the schema has no keys")?;
        let mut rows = Vec::new();
        let mut inner = Vec::new();
        for (key, value) in properties {
            let name = definition_name(value);
            if let Some(name) = &name {
                self.meet(name, &format!("{}{key}", prefix(heading)), value, &mut inner)?;
            }
            let hosts = self.keys.hosts(definition, key).map(|hosts| hosts.to_string()).unwrap_or_default();
            rows.push([code(key), self.kind(value)?, default(schema, key, value), hosts, description(value)]);
        }
        let about = if heading == "Top level" { String::new() } else { format!("{}\n\n", description(schema)) };
        let drawn = table(["key", "type", "default", "hosts", "what it says"], rows);
        let _ = write!(self.tables, "\n## {heading}\n\n{about}{drawn}");
        for (heading, name) in inner {
            self.table(&heading, &name, &self.definition(&name)?.clone())?;
        }
        Ok(())
    }

    /// Notes a definition that a key refers to, for drawing later.
    fn meet(&mut self, name: &str, path: &str, value: &Value, inner: &mut Vec<(String, String)>) -> Result<()> {
        if !self.seen.insert(name.to_owned()) {
            return Ok(());
        }
        if self.definition(name)?["properties"].is_object() {
            inner.push((table_heading(path, value), name.to_owned()));
        } else {
            self.choices.push(name.to_owned());
        }
        Ok(())
    }

    fn definition(&self, name: &str) -> Result<&Value> {
        self.schema["$defs"].get(name).with_context(|| format!("the schema does not define `{name}`"))
    }

    /// Says what values a key takes.
    fn kind(&self, value: &Value) -> Result<String> {
        if let Some(name) = reference(value) {
            return self.link(name);
        }
        if let Some(options) = value["anyOf"].as_array() {
            return options
                .iter()
                .find(|option| reference(option).is_some())
                .map_or(Ok(String::new()), |one| self.kind(one));
        }
        let kind = value["type"].as_str().or_else(|| value["type"][0].as_str());
        Ok(match kind {
            Some("boolean") => "yes or no".to_owned(),
            Some("integer") => "whole number".to_owned(),
            Some("number") => "number".to_owned(),
            Some("string") => "text".to_owned(),
            Some("array") => format!("list of {}", plural(&self.kind(&value["items"])?)),
            Some("object") if reference(&value["propertyNames"]).is_some() => {
                format!("texts by {}", self.kind(&value["propertyNames"])?)
            }
            Some("object") => format!("table of {}", plural(&self.kind(&value["additionalProperties"])?)),
            _ => "any value".to_owned(),
        })
    }

    fn link(&self, name: &str) -> Result<String> {
        let is_table = self.definition(name)?["properties"].is_object();
        Ok(if is_table { "table".to_owned() } else { format!("[{}](#{})", title(name), anchor(name)) })
    }
}

/// Returns the plural of a kind; a link stays as it is.
fn plural(kind: &str) -> String {
    match kind.strip_prefix("list of ") {
        Some(items) => format!("lists of {items}"),
        None if kind.starts_with('[') => kind.to_owned(),
        None => format!("{kind}s"),
    }
}

/// Returns what stands before a key of the table with this heading.
fn prefix(heading: &str) -> String {
    match heading.split('`').nth(1) {
        Some(path) => format!("{}.", path.trim_matches(['[', ']'])),
        None => String::new(),
    }
}

/// Writes a table's place as it stands in the file.
fn table_heading(path: &str, value: &Value) -> String {
    match value["type"].as_str() {
        Some("array") => format!("`[[{path}]]`"),
        Some("object") => format!("`[{path}.NAME]`"),
        _ => format!("`[{path}]`"),
    }
}

fn choice(name: &str, schema: &Value) -> String {
    let values = schema["oneOf"].as_array().map_or(&[][..], Vec::as_slice);
    let rows = values.iter().map(|value| [code(&written(value)), description(value)]);
    format!("\n### {}\n\n{}\n\n{}", title(name), description(schema), table(["value", "what it means"], rows))
}

/// Writes a choice as it stands in the file: a word, or a word with a value.
fn written(choice: &Value) -> String {
    let Some((word, value)) = choice["properties"].as_object().and_then(|properties| properties.iter().next()) else {
        return choice["const"].as_str().unwrap_or_default().to_owned();
    };
    let value = if value["type"] == "string" { "\"…\"" } else { "N" };
    format!("{{ {word} = {value} }}")
}

/// Returns the definition that a key, its items or its values refer to.
fn definition_name(value: &Value) -> Option<String> {
    let inner = [value, &value["items"], &value["additionalProperties"], &value["propertyNames"]];
    let options = value["anyOf"].as_array().into_iter().flatten();
    inner.into_iter().chain(options).find_map(reference).map(str::to_owned)
}

fn default(table: &Value, key: &str, value: &Value) -> String {
    let required = table["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key));
    match &value["default"] {
        _ if required => "required".to_owned(),
        Value::Null => String::new(),
        Value::Object(map) if map.is_empty() => code("{}"),
        default => code(&default.to_string()),
    }
}

fn description(value: &Value) -> String {
    value["description"].as_str().unwrap_or_default().to_owned()
}

/// Turns a type's name into words: `FolderNames` becomes `folder names`.
fn title(name: &str) -> String {
    let mut words = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

fn anchor(name: &str) -> String {
    title(name).replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_in_the_file() {
        assert_eq!(prefix("`[parse.name]`"), "parse.name.");
        assert_eq!(prefix("Top level"), "");
        assert_eq!(title("FolderNames"), "folder names");
    }
}
