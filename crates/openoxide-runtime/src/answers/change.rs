//! What was changed, and what is so now.

use openoxide_config::{SettingOutcome, SwitchOutcome};
use openoxide_skills::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine, SchemaVersion, SettingAnswer, SwitchAnswer};

/// Returns what was written to switch a skill on or off.
pub fn change_answer(switched: &SwitchOutcome, enabled: bool) -> ChangeAnswer {
    let action = if enabled { "enable" } else { "disable" };
    let change = || ChangeLine::new(action, &switched.file, Some(switched.skill.clone()));
    ChangeAnswer::new(switched.changed.then(change).into_iter().collect(), None)
}

/// Returns what came of switching a skill.
pub fn switch_answer(switched: &SwitchOutcome) -> SwitchAnswer {
    SwitchAnswer {
        schema: SchemaVersion::default(),
        skill: switched.skill.clone(),
        enabled: switched.enabled,
        path: path_text(&switched.file),
        changed: switched.changed,
        reason: switched.ineffective_reason.clone(),
    }
}

/// Returns what came of changing a setting.
pub fn setting_answer(key: &str, changed: &SettingOutcome) -> SettingAnswer {
    let effective = changed.effective.as_ref();
    SettingAnswer {
        schema: SchemaVersion::default(),
        key: key.to_owned(),
        value: effective.and_then(|setting| serde_json::to_value(&setting.value).ok()),
        origin: effective.map_or_else(|| "not set".to_owned(), |setting| setting.origin.to_string()),
        path: path_text(&changed.file),
        changed: changed.changed,
        reason: changed.ineffective_reason.clone(),
    }
}
