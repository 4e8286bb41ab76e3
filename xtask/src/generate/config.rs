//! Generates the reference page on settings.

use anyhow::Result;
use openoxide_config::{CONFIG_KEYS, ConfigKey, ProjectAccess, ValueKind};
use openoxide_skills::host::{Hosts, SettingRule};
use openoxide_skills::settings::HostSettings;

use super::NOTICE;
use super::markdown::{code, table};

const INTRODUCTION: &str = "\
# Settings

Settings are read from these places; a later one wins:

1. `/etc/openoxide/config.toml`, the administrator's
2. `$OPENOXIDE_HOME/config.toml` (`~/.openoxide/config.toml`), yours
3. `.openoxide/config.toml`, the project's, if you trust the project
4. the [environment](environment.md)
5. `--config KEY=VALUE` on the command line

`openoxide config` shows every setting with its value and where that comes from. `openoxide config set KEY VALUE` changes
one and keeps comments and order. The JSON Schema is [`schemas/config.toml.json`](../../schemas/config.toml.json).

A project can never give permissions, trusted or not: its value of a key marked `no` is ignored and reported, and of a
key marked `only`, only the value named there is used, which is the strictest. Where the administrator set such a key to its
strictest value, nobody can loosen it.

A value that cannot be used is reported and ignored. Two kinds of mistake make a setting stricter instead: a key marked
`only` then takes its strictest value, and an entry of `skills.config` with a name or a path switches that off unless it says
`enabled = true`. The other entries hold.

A mistake that may hide a rule that denies closes: no skill is activated until it is fixed. That is a bad value under
`permission` or `agents`; and in your file or the administrator's, a key that is nearly one that can deny, a host that is no
table, or an entry of `skills.config` whose name cannot be read.
";

const OF_HOSTS: &str = "\
## Settings of other hosts

What a program itself keeps about skills is read from its own files, and never written. Here it can be set for
OpenOxide alone, as `hosts.NAME.SETTING`. `openoxide roots --host NAME` shows the values and where they come from; the
[page of each host](../hosts/README.md) tells what they do.
";

/// Returns the page.
pub(super) fn page() -> Result<String> {
    let mut rows = Vec::new();
    for spec in Hosts::builtin().all() {
        let host = spec.with(&HostSettings::default())?;
        let names = host.settings.iter().filter(|(_, rule)| !is_own(rule)).map(|(name, _)| code(name));
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            let link = format!("[`hosts.{}`](../hosts/{}.md#settings)", spec.name, spec.name);
            rows.push([link, names.join(", ")]);
        }
    }
    Ok(format!("{NOTICE}{INTRODUCTION}\n{}\n{OF_HOSTS}\n{}", own(), table(["table", "settings"], rows)))
}

fn own() -> String {
    let row = |key: &ConfigKey| {
        let project = match key.project {
            ProjectAccess::Always => "yes, trusted or not".to_owned(),
            ProjectAccess::Any => "yes".to_owned(),
            ProjectAccess::Only(strict) => format!("only `{strict}`"),
            ProjectAccess::Denied => "no".to_owned(),
        };
        [code(key.name), kind(key), code(key.default), project, key.about.to_owned()]
    };
    table(["key", "type", "default", "in a project", "what it does"], CONFIG_KEYS.iter().map(row))
}

fn kind(key: &ConfigKey) -> String {
    match key.kind {
        ValueKind::Bool => "yes or no".to_owned(),
        ValueKind::Choice(choices) => format!("`{}`", choices.join("`, `")),
        _ => key.expected().trim_start_matches("a ").to_owned(),
    }
}

/// Tells whether a setting of a host is one of our own keys.
fn is_own(rule: &SettingRule) -> bool {
    !rule.from.is_empty() && rule.from.iter().all(|source| source.config.is_some())
}
