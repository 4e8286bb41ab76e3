//! The settings of a host: what each is for, and where the program keeps it.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use openoxide_skills::host::{Host, SettingKind, SettingLayer, SettingRule, SettingSource};
use toml::{Table, Value};

use super::super::markdown::{code, columns};
use super::places::{Places, join};
use super::words::Words;

/// Keys of a setting that the table shows in its own way, or that its sentence says.
const SHOWN: &[&str] = &["about", "type", "default", "from", "sets", "range", "plugins"];

/// Draws all settings of a host, and the files that hold many of them.
pub(super) fn all(words: &Words<'_>, places: &Places<'_>, host: &Host, table: &Table) -> Result<String> {
    let mut text = String::new();
    for (name, sources) in &host.layers {
        let _ = writeln!(text, "The {} files, weakest first:\n", code(name));
        for (index, place) in layer_places(places, sources).iter().enumerate() {
            let _ = writeln!(text, "{}. {place}", index + 1);
        }
        text.push('\n');
    }
    if let Some(Value::Table(settings)) = table.get("settings") {
        text.push_str(&some(words, places, host, settings)?);
    }
    if host.own_permissions {
        let _ = write!(text, "\n{}\n", words.yes("own_permissions")?);
    }
    if host.strict_files {
        let _ = write!(text, "\n{}\n", words.yes("strict_files")?);
    }
    Ok(text)
}

/// Draws the settings that a table names, as the host has them.
pub(super) fn some(words: &Words<'_>, places: &Places<'_>, host: &Host, named: &Table) -> Result<String> {
    let mut rows = Vec::new();
    let mut plugins = String::new();
    for (name, written) in named {
        let rule = host.settings.get(name).with_context(|| format!("no setting is called `{name}`"))?;
        let written = written.as_table().with_context(|| format!("the setting `{name}` is no table"))?;
        rows.push(row(words, places, name, rule, written)?);
        if let Some(Value::Table(source)) = written.get("plugins") {
            let _ = write!(plugins, "\nHow {} are found:\n\n", code(name));
            for said in words.sentences("PluginSource", &plain(places, source), &[])? {
                let _ = writeln!(plugins, "- {said}");
            }
        }
    }
    Ok(columns(["setting", "type", "default", "what it does", "the program keeps it in"], &rows) + &plugins)
}

fn row(words: &Words<'_>, places: &Places<'_>, name: &str, rule: &SettingRule, written: &Table) -> Result<[String; 5]> {
    let default = rule.default.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut about = rule.about.clone();
    if let Some(sets) = &rule.sets {
        let _ = write!(about, " Sets {}.", code(sets));
    }
    for more in words.sentences("SettingRule", written, SHOWN)? {
        let _ = write!(about, " {more}");
    }
    Ok([code(name), kind(rule.kind).to_owned(), code(&default), about, sources(places, &rule.from)])
}

/// Says where a setting is read from; places with one key are named together.
fn sources(places: &Places<'_>, from: &[SettingSource]) -> String {
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for source in from {
        let (key, place) = (key(source), place(places, source));
        match told.last_mut() {
            Some((last, all)) if *last == key && !key.is_empty() => all.push(place),
            _ => told.push((key, vec![place])),
        }
    }
    let told = told.into_iter().map(|(key, places)| match key.as_str() {
        "" => places.join(", "),
        _ => format!("{key} in {}", places.join(", ")),
    });
    told.collect::<Vec<_>>().join("; ")
}

/// Says what is looked for in a place.
fn key(source: &SettingSource) -> String {
    let Some(key) = &source.key else { return String::new() };
    let not = if source.negate { "not " } else { "" };
    let items: Vec<String> = source.holds.iter().map(|item| code(item)).collect();
    let holds = if items.is_empty() { String::new() } else { format!(" with {}", join(&items, "or")) };
    format!("{not}{}{holds}", code(key))
}

/// Says where a place is.
fn place(places: &Places<'_>, source: &SettingSource) -> String {
    if let Some(layers) = &source.layers {
        format!("the {} files", code(layers))
    } else if let Some(file) = &source.file {
        places.words(file, "")
    } else if let Some(variable) = &source.env {
        let not = if source.negate && source.key.is_none() { "not " } else { "" };
        format!("{not}the variable {}", code(variable))
    } else {
        let key = source.config.as_deref().map(code).unwrap_or_default();
        format!("{key} in [our own settings](../reference/config.md)")
    }
}

/// Says where the places of a list of layers are, weakest first.
pub(super) fn layer_places(places: &Places<'_>, layers: &[SettingLayer]) -> Vec<String> {
    let mut said = Vec::new();
    for layer in layers {
        let needs = layer.needs.as_ref().map(|needed| format!(", if {} is on", code(needed))).unwrap_or_default();
        let walks = layer.files.iter().any(|file| file.starts_with("{up}") || file.starts_with("{down}"));
        let files: Vec<String> = layer.files.iter().map(|file| places.words(file, "")).collect();
        if walks {
            said.push(format!("{}{needs}", files.join(", then ")));
        } else {
            said.extend(files.into_iter().map(|file| format!("{file}{needs}")));
        }
        said.extend(layer.env.as_ref().map(|variable| format!("the variable {}{needs}", code(variable))));
    }
    said
}

/// Returns a table of plugins with its paths as they are without variables.
fn plain(places: &Places<'_>, source: &Table) -> Table {
    let mut plain = source.clone();
    plain.retain(|_, value| !matches!(value, Value::String(text) if text.is_empty()));
    for (_, value) in &mut plain {
        if let Value::String(path) = value {
            *path = places.path(path);
        }
    }
    plain
}

fn kind(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::Bool => "yes or no",
        SettingKind::Number => "number",
        SettingKind::Text => "text",
        SettingKind::List => "list of texts",
        SettingKind::Table => "table",
        SettingKind::Rules => "tables with `name` or `path`, and `enabled`",
        SettingKind::Permissions => "permissions",
        SettingKind::Plugins => "installed plugins",
    }
}
