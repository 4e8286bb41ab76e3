//! How a host switches a skill off: the settings that do it, with file and key.

use std::fmt::Write as _;

use openoxide_skills::host::{Host, SettingDoes, SettingRule, SettingSource};

use super::super::super::markdown::code;
use super::super::places::Places;
use super::super::settings;

pub(super) fn switching(name: &str, host: &Host, places: &Places<'_>) -> String {
    let mut text = String::new();
    if host.switch.is_some() {
        let command = code(&format!("openoxide disable SKILL --host {name}"));
        let _ = writeln!(text, "{command} shows the change, asks, and writes it; `enable` takes it back. By hand:\n");
    }
    for rule in host.settings.values() {
        let Some(what) = switch(rule) else { continue };
        for source in &rule.from {
            let key = source.key.as_deref().map(|key| format!(" under {}", code(key))).unwrap_or_default();
            let _ = writeln!(text, "- {what}{key} in {}.", switch_file(host, places, source));
        }
    }
    if text.is_empty() {
        return "It has no setting for that. Move the skill out of the folders above, or remove the link to it.\n"
            .to_owned();
    }
    text
}

/// Names the file or variable that holds a switch.
fn switch_file(host: &Host, places: &Places<'_>, source: &SettingSource) -> String {
    if let Some(key) = &source.config {
        return format!("{} of your [settings](../reference/config.md)", code(key));
    }
    if let Some(files) = source.layers.as_ref().and_then(|layers| host.layers.get(layers)) {
        let files = settings::layer_places(places, files);
        let first = files.first().cloned().unwrap_or_default();
        return if files.len() > 1 { format!("{first}, or another of its settings files (below)") } else { first };
    }
    match (&source.file, &source.env) {
        (Some(file), _) => places.words(file, ""),
        (None, Some(variable)) => format!("the variable {}", code(variable)),
        (None, None) => "its settings".to_owned(),
    }
}

/// Says what to write to switch a skill off, where a setting can.
fn switch(rule: &SettingRule) -> Option<String> {
    let form = rule.form.as_deref().unwrap_or("{name}").replace("{name}", "NAME");
    Some(match rule.does? {
        SettingDoes::Switch | SettingDoes::SwitchFolders => {
            "Add a table with the skill's `name` or `path`, and `enabled = false`,".to_owned()
        }
        SettingDoes::SetStates => "Set the skill's name to `off`".to_owned(),
        SettingDoes::Deny => format!("To keep it from the model only, add {}", code(&form)),
        SettingDoes::Ignore => "Add the skill's name, or a pattern,".to_owned(),
        SettingDoes::SwitchOff | SettingDoes::SwitchOffAnyCase => format!("Add {}", code(&form)),
        SettingDoes::Permit => format!("Set the skill's name to `deny` in the table {}", code(&form)),
        SettingDoes::PermitAgent | SettingDoes::Include | SettingDoes::LetUserCall => return None,
    })
}
