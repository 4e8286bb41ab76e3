//! The page on settings.

use std::fmt::Write as _;

use anyhow::Result;
use openoxide_config::{KEYS, Key, KeyKind};
use openoxide_skills::{HostSettings, Hosts, SettingKind, SettingRule, SettingSource};

use super::NOTICE;
use super::markdown::{code, table};

const INTRODUCTION: &str = "\
# Settings

Settings are read from these places; a later one wins:

1. `/etc/openoxide/config.toml`, the administrator's
2. `$OPENOXIDE_HOME/config.toml` (`~/.openoxide/config.toml`), yours
3. `.openoxide/config.toml`, the project's; it counts only if you trust the project
4. the [environment](environment.md)
5. `--config KEY=VALUE` on the command line

`openoxide config` shows every setting with its value and where that comes from. `openoxide config set KEY VALUE` changes
one and keeps comments and order. The JSON Schema is [`schemas/config.json`](../../schemas/config.json).
";

const OF_HOSTS: &str = "\
## Settings of other hosts

What a program itself keeps about skills is read from its own files, and never written. Here it can be set for
OpenOxide alone, as `hosts.NAME.SETTING`. `openoxide roots --host NAME` shows the values and where they come from.
";

/// Returns the page.
pub(super) fn page() -> Result<String> {
    let mut text = format!("{NOTICE}{INTRODUCTION}\n{}\n{OF_HOSTS}", own());
    for spec in Hosts::builtin().all() {
        let host = spec.with(&HostSettings::default())?;
        let rows = host.settings.iter().filter(|(_, rule)| !is_own(rule)).map(|(name, rule)| row(name, rule));
        let rows: Vec<_> = rows.collect();
        if !rows.is_empty() {
            let heading = ["setting", "type", "default", "what it does", "the program keeps it in"];
            let _ = write!(text, "\n### `hosts.{}`\n\n{}", spec.name, table(heading, rows));
        }
    }
    Ok(text)
}

fn own() -> String {
    let row = |key: &Key| {
        let project = if key.project { "yes" } else { "no" };
        [code(key.name), kind(key), code(key.default), project.to_owned(), key.about.to_owned()]
    };
    table(["key", "type", "default", "in a project", "what it does"], KEYS.iter().map(row))
}

fn kind(key: &Key) -> String {
    match key.kind {
        KeyKind::Bool => "yes or no".to_owned(),
        KeyKind::Choice(choices) => format!("`{}`", choices.join("`, `")),
        KeyKind::Integer | KeyKind::Number | KeyKind::Text | KeyKind::List | KeyKind::Rules | KeyKind::Hosts => {
            key.wants().trim_start_matches("a ").to_owned()
        }
    }
}

/// Tells whether a setting of a host is one of our own keys.
fn is_own(rule: &SettingRule) -> bool {
    !rule.from.is_empty() && rule.from.iter().all(|source| source.config.is_some())
}

fn row(name: &str, rule: &SettingRule) -> [String; 5] {
    let default = rule.default.as_ref().map(ToString::to_string).unwrap_or_default();
    let places: Vec<String> = rule.from.iter().map(place).collect();
    [code(name), setting_kind(rule.kind).to_owned(), code(&default), rule.about.clone(), places.join(", ")]
}

fn setting_kind(kind: SettingKind) -> &'static str {
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

fn place(source: &SettingSource) -> String {
    if let Some(layers) = &source.layers {
        return format!("{} in the {layers} files", code(source.key.as_deref().unwrap_or_default()));
    }
    match (&source.file, &source.env, &source.config) {
        (Some(file), ..) => format!("{} in {}", code(source.key.as_deref().unwrap_or("the whole file")), code(file)),
        (_, Some(variable), _) => format!("{} in the environment", code(variable)),
        (.., Some(key)) => code(key),
        (None, None, None) => {
            source.key.as_deref().map(|key| format!("{} in its settings files", code(key))).unwrap_or_default()
        }
    }
}
