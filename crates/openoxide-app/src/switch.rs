//! Use case: switches skills on or off in an agent's own settings, and tells whether that is so then.

use openoxide_config::{
    SettingError, SettingsOwner, SkillSelector, SwitchOutcome, SwitchPlan, SwitchRequest, Workspace,
};
use openoxide_live::Snapshot;
use openoxide_skills::catalog::{Catalog, Depth, load};
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine, SchemaVersion, SwitchAnswer};

use crate::{Error, ErrorKind, skill_id};

/// Which skills to switch, and how.
#[derive(Clone, Debug)]
pub struct SwitchInput {
    /// Names or paths of skills.
    pub skills: Vec<String>,
    /// Whether they are to be on.
    pub enabled: bool,
    /// The owner of the settings that are written.
    pub owner: SettingsOwner,
}

/// An agent in which the skills can be switched, or why not.
#[derive(Debug)]
pub struct SwitchChoice {
    /// The host, as `name` or `name@edition`.
    pub host: String,
    /// What people call it.
    pub title: String,
    /// What would be written.
    pub plan: Result<SwitchPlan, Error>,
}

/// Plans the change for each of your agents that finds all of the skills. One that `--host` or a setting names is the only
/// one. Nothing is written.
pub fn plan(workspace: &Workspace, input: &SwitchInput) -> Result<Vec<SwitchChoice>, Error> {
    let agents = workspace.my_agents()?;
    let views: Vec<_> = agents.hosts.into_iter().map(|host| host.view).collect();
    let catalogs = load(&views, Depth::Quick);
    let selectors: Vec<SkillSelector> = input.skills.iter().cloned().map(SkillSelector::Typed).collect();
    let mut choices = Vec::new();
    let mut missing = None;
    for (view, catalog) in views.iter().zip(&catalogs) {
        let plan = workspace.plan_switch(view, catalog, &selectors, input.enabled, input.owner);
        match plan.map_err(|error| with_advice(error, catalog)) {
            Err(error @ Error::UnknownSkill { .. }) => missing = Some(better(missing, error)),
            plan => choices.push(SwitchChoice { host: view.spec.id(), title: view.host.title.clone(), plan }),
        }
    }
    match missing {
        Some(error) if choices.is_empty() => Err(error),
        _ => Ok(choices),
    }
}

/// Keeps the error that knows a near name.
fn better(known: Option<Error>, new: Error) -> Error {
    match known {
        Some(known @ Error::UnknownSkill { near: Some(_), .. }) => known,
        _ => new,
    }
}

/// Writes what was planned, and tells for each skill whether the agent now does as wanted. A change of the user's own settings
/// that has no effect on any of them is taken back; the project's are for others too.
pub fn apply(workspace: &Workspace, plan: &SwitchPlan) -> Result<Vec<SwitchOutcome>, Error> {
    let mut outcomes = workspace.apply_switch(plan)?;
    let is_useless = outcomes.iter().all(|outcome| outcome.ineffective_reason.is_some());
    if is_useless && plan.changes_file() && plan.owner() == SettingsOwner::User {
        workspace.apply_switch(&plan.reversed())?;
        for outcome in &mut outcomes {
            outcome.changed = false;
        }
    }
    Ok(outcomes)
}

fn with_advice(error: SettingError, catalog: &Catalog) -> Error {
    match error {
        SettingError::UnknownSkill { wanted, near } => {
            Error::UnknownSkill { wanted, near, none_active: catalog.skills.is_empty() }
        }
        error => error.into(),
    }
}

/// Switches a skill in OpenOxide's own settings, and looks again. Settings of another agent are not written.
pub fn switch(snapshot: &Snapshot, request: &SwitchRequest) -> Result<SwitchOutcome, Error> {
    let Snapshot { workspace, view, catalog, .. } = snapshot;
    workspace.switch(view, catalog, request).map_err(|error| with_advice(error, catalog))
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
pub fn change_answer(outcomes: &[SwitchOutcome], enabled: bool, undo: Option<String>) -> ChangeAnswer {
    let action = if enabled { "enable" } else { "disable" };
    let changed = outcomes.iter().filter(|outcome| outcome.changed);
    let change = |outcome: &SwitchOutcome| ChangeLine::new(action, &outcome.file, Some(outcome.skill.clone()));
    ChangeAnswer::new(changed.map(change).collect(), undo)
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
