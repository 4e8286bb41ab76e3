//! Use case: switches skills on or off in an agent's own settings, if that has an effect.

use openoxide_config::{
    SettingError, SettingsOwner, SkillSelector, SwitchOutcome, SwitchPlan, SwitchRequest, SwitchTrial, Workspace,
};
use openoxide_live::Snapshot;
use openoxide_skills::catalog::{Catalog, Depth, View, load};
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

/// What a request comes to in one agent.
#[derive(Debug)]
pub struct SwitchChoice {
    /// What would be written.
    pub plan: SwitchPlan,
    /// The outcome for each skill, tried in memory.
    pub outcomes: Vec<SwitchOutcome>,
}

impl SwitchChoice {
    /// Tells whether the file is written. A change of the user's own settings that has no effect on any of the skills is
    /// not; the project's settings are for others too.
    pub fn writes(&self) -> bool {
        let is_useless = self.outcomes.iter().all(|outcome| outcome.ineffective_reason.is_some());
        self.plan.changes_file() && !(is_useless && self.plan.owner() == SettingsOwner::User)
    }

    /// Tells whether each skill is as wanted then.
    pub fn is_effective(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.ineffective_reason.is_none())
    }

    /// Tells whether nothing is to be done: the skills are as wanted, and the file says so or need not.
    fn is_done(&self) -> bool {
        !self.plan.changes_file() && self.is_effective()
    }
}

/// What a request comes to in each of your agents that finds all of the skills.
#[derive(Debug, Default)]
pub struct SwitchChoices {
    /// The agents in which the skills are not as wanted, or whose file does not say so yet.
    pub open: Vec<SwitchChoice>,
    /// The agents in which nothing is to be done.
    pub done: Vec<SwitchChoice>,
    /// Why the other agents cannot switch the skills.
    pub refused: Vec<Error>,
}

impl SwitchChoices {
    /// Tells whether a person has to say which agents are meant. What was done before does not decide that.
    pub fn is_ambiguous(&self) -> bool {
        !self.open.is_empty() && self.open.len() + self.done.len() > 1
    }
}

/// Plans the change for each of your agents that finds all of the skills, and tries it in memory. One that `--host` or a
/// setting names is the only one. It is an error if no agent can switch them. Nothing is written.
pub fn plan(workspace: &Workspace, input: &SwitchInput) -> Result<SwitchChoices, Error> {
    let agents = workspace.my_agents()?;
    let views: Vec<_> = agents.hosts.into_iter().map(|host| host.view).collect();
    let catalogs = load(&views, Depth::Quick);
    let selectors: Vec<SkillSelector> = input.skills.iter().cloned().map(SkillSelector::Typed).collect();
    let mut choices = SwitchChoices::default();
    let mut missing = None;
    for (view, catalog) in views.iter().zip(&catalogs) {
        let plan = workspace.plan_switch(view, catalog, &selectors, input.enabled, input.owner);
        match plan.map_err(|error| with_advice(error, catalog)) {
            Err(error @ Error::UnknownSkill { .. }) => missing = Some(better(missing, error)),
            Err(error) => choices.refused.push(error),
            Ok(plan) => {
                let choice = SwitchChoice { outcomes: workspace.try_switch(&plan)?.outcomes, plan };
                if choice.is_done() { choices.done.push(choice) } else { choices.open.push(choice) }
            }
        }
    }
    if choices.open.is_empty() && choices.done.is_empty() {
        // Where no agent can switch them, the first says why.
        let error = choices.refused.into_iter().next().or(missing);
        return error.map_or_else(|| Ok(SwitchChoices::default()), Err);
    }
    Ok(choices)
}

/// Keeps the error that knows a near name.
fn better(known: Option<Error>, new: Error) -> Error {
    match known {
        Some(known @ Error::UnknownSkill { near: Some(_), .. }) => known,
        _ => new,
    }
}

/// Writes what was planned if it has an effect, and tells for each skill whether the agent now does as wanted.
pub fn apply(workspace: &Workspace, choice: &SwitchChoice) -> Result<Vec<SwitchOutcome>, Error> {
    match choice.writes() {
        true => Ok(workspace.apply_switch(&choice.plan)?),
        false => Ok(choice.outcomes.clone()),
    }
}

/// Tells whether the project's settings would do what the planned ones do not.
pub fn works_in_project(workspace: &Workspace, plan: &SwitchPlan) -> bool {
    let Ok((view, _)) = workspace.view(&plan.host) else { return false };
    let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
    let selectors: Vec<SkillSelector> = plan.skills.iter().cloned().map(SkillSelector::Typed).collect();
    let is_other = plan.owner() != SettingsOwner::Project;
    is_other && tried(workspace, (&view, &catalog), &selectors, plan.enabled, SettingsOwner::Project).is_some()
}

/// Tries to switch skills in memory; nothing if the agent cannot, or if one of them would not be as wanted then.
pub(crate) fn tried(
    workspace: &Workspace,
    (view, catalog): (&View, &Catalog),
    selectors: &[SkillSelector],
    enabled: bool,
    owner: SettingsOwner,
) -> Option<SwitchTrial> {
    let plan = workspace.plan_switch(view, catalog, selectors, enabled, owner).ok()?;
    workspace.try_switch(&plan).ok().filter(SwitchTrial::is_effective)
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
