//! Use case: switches a skill on or off in OpenOxide's own settings, and tells whether that is so then.

use openoxide_config::{SettingError, SettingsOwner, SkillSelector, SwitchOutcome, SwitchRequest};
use openoxide_live::Snapshot;
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine, SchemaVersion, SwitchAnswer};

use crate::{Error, ErrorKind, skill_id};

/// Switches a skill that the host finds, and looks again.
pub fn switch(snapshot: &Snapshot, request: &SwitchRequest) -> Result<SwitchOutcome, Error> {
    let Snapshot { workspace, view, catalog, .. } = snapshot;
    workspace.switch(view, catalog, request).map_err(|error| match error {
        SettingError::UnknownSkill { wanted, near } => {
            Error::UnknownSkill { wanted, near, none_active: catalog.skills.is_empty() }
        }
        error => error.into(),
    })
}

/// Switches the skill that an id means, and looks again.
pub fn switch_by_id(
    snapshot: &Snapshot,
    id: &str,
    enabled: bool,
    owner: SettingsOwner,
) -> Result<SwitchOutcome, Error> {
    let entry = skill_id::find_by_id(&snapshot.catalog, id)?;
    let selector = match id.starts_with('~') {
        true => SkillSelector::Path(entry.skill.path.to_path_buf()),
        false => SkillSelector::Name(entry.skill.name.to_string()),
    };
    switch(snapshot, &SwitchRequest { selector, enabled, owner })
}

/// Says that the answer is no, where something else overrides what was written.
pub fn ineffective(outcome: &SwitchOutcome) -> Option<Error> {
    let why = outcome.ineffective_reason.as_ref()?;
    Some(Error::other(ErrorKind::Conflict, "not-so", format!("it was written, and: {why}")))
}

/// Returns what was written, as a list of changes.
pub fn change_answer(outcome: &SwitchOutcome, enabled: bool) -> ChangeAnswer {
    let action = if enabled { "enable" } else { "disable" };
    let change = || ChangeLine::new(action, &outcome.file, Some(outcome.skill.clone()));
    ChangeAnswer::new(outcome.changed.then(change).into_iter().collect(), None)
}

/// Returns whether the skill is on after a change.
pub fn switch_answer(outcome: &SwitchOutcome) -> SwitchAnswer {
    SwitchAnswer {
        schema: SchemaVersion::default(),
        skill: outcome.skill.clone(),
        enabled: outcome.enabled,
        path: path_text(&outcome.file),
        changed: outcome.changed,
        problem: ineffective(outcome).map(|error| error.word().to_owned()),
        reason: outcome.ineffective_reason.clone(),
    }
}
