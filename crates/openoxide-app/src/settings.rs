//! Use case: shows settings with their origin, changes one and tells what is in effect then, and lists their files.

use std::path::PathBuf;

use openoxide_config::{CONFIG_KEYS, ConfigKey, SettingChange, SettingOutcome, SettingsOwner, Workspace};
use openoxide_runtime::Question;
use openoxide_skills::settings::Setting;
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine, ConfigAnswer, ConfigValue, ProblemLine, SchemaVersion, SettingAnswer};
use serde_json::Value;

use crate::error::Error;

/// Whether a settings file is there, and in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// There is no such file.
    Missing,
    /// Its settings are in effect.
    Active,
    /// The project is not trusted, so its settings are ignored.
    Untrusted,
}

/// Returns when output is colored, as the setting says; empty if it is not set.
pub fn color(workspace: &Workspace) -> String {
    workspace.config.text("color").unwrap_or_default()
}

/// Returns every setting with its value and origin, or one of them.
pub fn get(workspace: &Workspace, key: Option<&str>) -> Result<ConfigAnswer, Error> {
    let values = match key {
        Some(key) => vec![value_of(workspace, key, ConfigKey::known(key)?.about)],
        None => CONFIG_KEYS.iter().map(|known| value_of(workspace, known.name, known.about)).collect(),
    };
    let problems = workspace.config.problems.iter();
    let problems = problems.map(|problem| ProblemLine::new(problem.path.as_deref(), &problem.diagnostic)).collect();
    Ok(ConfigAnswer { schema: SchemaVersion::default(), values, problems })
}

fn value_of(workspace: &Workspace, name: &str, about: &str) -> ConfigValue {
    let (value, origin) = value_and_origin(workspace.config.get(name).as_ref());
    ConfigValue { key: name.to_owned(), origin, value, about: about.to_owned() }
}

fn value_and_origin(setting: Option<&Setting>) -> (Option<Value>, String) {
    let origin = setting.map_or_else(|| "not set".to_owned(), |setting| setting.origin.to_string());
    (setting.and_then(|setting| serde_json::to_value(&setting.value).ok()), origin)
}

/// Sets a setting to a value as a person types it: TOML, or else text.
pub fn set(workspace: &Workspace, key: &str, typed: &str, owner: SettingsOwner) -> Result<SettingOutcome, Error> {
    let value = typed_value(typed).unwrap_or_else(|| typed.into());
    change(workspace, &SettingChange { key: key.to_owned(), value: Some(value), owner })
}

/// Reads a value as TOML; what is no TOML is text.
fn typed_value(typed: &str) -> Option<toml::Value> {
    let parsed: toml_edit::Value = typed.parse().unwrap_or_else(|_| toml_edit::Value::from(typed));
    format!("value = {parsed}").parse::<toml::Table>().ok()?.remove("value")
}

/// Removes a setting.
pub fn unset(workspace: &Workspace, key: &str, owner: SettingsOwner) -> Result<SettingOutcome, Error> {
    change(workspace, &SettingChange { key: key.to_owned(), value: None, owner })
}

/// Changes or removes a setting.
pub fn change(workspace: &Workspace, change: &SettingChange) -> Result<SettingOutcome, Error> {
    Ok(workspace.set(change)?)
}

/// Returns the question about a change, if the change is possible.
pub fn question(workspace: &Workspace, change: &SettingChange) -> Result<Question, Error> {
    let file = workspace.validate_setting(change)?;
    let (key, value) = (change.key.clone(), change.value.as_ref().map(ToString::to_string));
    Ok(Question::Setting { key, value, file })
}

/// Returns the files that settings are read from, weakest first.
pub fn files(workspace: &Workspace) -> Vec<(PathBuf, FileState)> {
    let environment = &workspace.environment;
    let mut files = vec![environment.admin.join("config.toml")];
    files.extend(environment.openoxide_home().map(|home| home.join("config.toml")));
    files.extend(workspace.project_files());
    let with_state = |path: PathBuf| {
        let state = match workspace.config.layers.iter().find(|layer| layer.path.as_ref() == Some(&path)) {
            None => FileState::Missing,
            Some(layer) if layer.is_active => FileState::Active,
            Some(_) => FileState::Untrusted,
        };
        (path, state)
    };
    files.into_iter().map(with_state).collect()
}

/// Returns what was written, as a list of changes; `action` is `set` or `unset`.
pub fn change_answer(action: &str, key: &str, outcome: &SettingOutcome) -> ChangeAnswer {
    let line = |action, key: &str| ChangeLine::new(action, &outcome.file, Some(key.to_owned()));
    let own = outcome.changed.then(|| line(action, key));
    let dropped = outcome.dropped.iter().map(|key| line("unset", key));
    ChangeAnswer::new(own.into_iter().chain(dropped).collect(), None)
}

/// Returns the value that is in effect after a change.
pub fn setting_answer(key: &str, outcome: &SettingOutcome) -> SettingAnswer {
    let (value, origin) = value_and_origin(outcome.effective.as_ref());
    SettingAnswer {
        schema: SchemaVersion::default(),
        key: key.to_owned(),
        value,
        origin,
        path: path_text(&outcome.file),
        changed: outcome.changed,
        reason: outcome.ineffective_reason.clone(),
    }
}
