//! Switches skills on and off in the settings of one host: a plan that can be shown, its application, and a second look.

use std::path::{Path, PathBuf};

use openoxide_skills::catalog::{Catalog, Depth, Entry, Status, SwitchRules, View, load};
use openoxide_skills::text::near;

use super::set::{SettingError, UNTRUSTED};
use super::switch_place::SwitchPlace;
use super::{Workspace, skill_selector::SkillSelector};
use crate::SettingsOwner;
use crate::document::PlannedFile;
use crate::settings::edit::{edit_text, read_text};
use crate::switch_text::SwitchChange;

/// A request to switch a skill on or off.
#[derive(Clone, Debug)]
pub struct SwitchRequest {
    /// The skill.
    pub selector: SkillSelector,
    /// Whether it is to be on.
    pub enabled: bool,
    /// The owner of the settings that are written.
    pub owner: SettingsOwner,
}

/// What would be written to the settings of a host. Nothing is written yet.
#[derive(Clone, Debug)]
pub struct SwitchPlan {
    /// The host, as `name` or `name@edition`.
    pub host: String,
    /// What people call it.
    pub title: String,
    /// Whether the skills are to be on.
    pub enabled: bool,
    /// The settings file.
    pub file: PathBuf,
    /// Its text now; empty if there is no such file.
    pub before: String,
    /// Its text after the change; empty if nothing is left in it.
    pub after: String,
    /// The name or the path that each switch is for, in the order of the request.
    pub skills: Vec<String>,
    /// States that are replaced and that switching back does not restore.
    pub lost: Vec<String>,
    owner: SettingsOwner,
    place: SwitchPlace,
    changes: Vec<SwitchChange>,
    selectors: Vec<SkillSelector>,
}

/// The outcome for one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchOutcome {
    /// The name, or the path of the file, that the switch is for.
    pub skill: String,
    /// The file that has the switch.
    pub file: PathBuf,
    /// Whether the file changed.
    pub changed: bool,
    /// Whether the skill is on now. Several skills of one name are on if one of them is.
    pub enabled: bool,
    /// Why the skill is not as requested.
    pub ineffective_reason: Option<String>,
}

/// What a planned change would do.
#[derive(Clone, Debug)]
pub struct SwitchTrial {
    /// The outcome for each skill, in the order of the request. Nothing has changed.
    pub outcomes: Vec<SwitchOutcome>,
    /// What the host would find.
    pub catalog: Catalog,
    /// The host with the changed settings.
    pub view: View,
}

impl SwitchTrial {
    /// Tells whether each skill would be as requested.
    pub fn is_effective(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.ineffective_reason.is_none())
    }
}

impl SwitchPlan {
    /// Returns whose settings are written.
    pub fn owner(&self) -> SettingsOwner {
        self.owner
    }

    /// Tells whether the file has to be changed.
    pub fn changes_file(&self) -> bool {
        self.before != self.after
    }

    fn apply_to(&self, text: &str) -> Result<String, SettingError> {
        self.place.switched(text, &self.changes)
    }
}

impl Workspace {
    /// Tells whether settings of the host can switch skills at all.
    pub fn has_switch(&self, view: &View, enabled: bool, owner: SettingsOwner) -> bool {
        let readable = self.switch_place(view, owner).and_then(|place| {
            let text = read_text(&place.file, owner)?;
            place.refuse_to_hide(view, &text, enabled)
        });
        readable.is_ok()
    }

    /// Plans to switch skills of the view's catalog in the host's own settings.
    pub fn plan_switch(
        &self,
        view: &View,
        catalog: &Catalog,
        selectors: &[SkillSelector],
        enabled: bool,
        owner: SettingsOwner,
    ) -> Result<SwitchPlan, SettingError> {
        // A host that does not find the skills is not asked for its switch.
        if let Some(selector) = selectors.iter().find(|selector| self.select(catalog, selector).is_empty()) {
            return Err(unknown(catalog, selector));
        }
        let place = self.switch_place(view, owner)?;
        let (mut changes, mut skills, mut resolved) = (Vec::new(), Vec::new(), Vec::new());
        for selector in selectors {
            let found = self.select(catalog, selector);
            let first = found.first().ok_or_else(|| unknown(catalog, selector))?;
            refuse_unfiltered(view, catalog, &found)?;
            let by_path = selector.is_path();
            let (mark, skill) = place.mark(view, catalog, first, by_path)?;
            // What something else switches off has to be switched on here, where that can be said.
            let overrule = enabled && found.iter().any(|entry| is_off(view, entry));
            changes.push(SwitchChange { mark, enabled, overrule });
            resolved.push(if by_path {
                SkillSelector::Path(skill.clone().into())
            } else {
                SkillSelector::Name(skill.clone())
            });
            skills.push(skill);
        }
        let before = read_text(&place.file, owner)?;
        place.refuse_to_hide(view, &before, enabled)?;
        let after = place.switched(&before, &changes)?;
        let lost = place.lost(&before, &changes);
        let (host, title, file) = (view.spec.id(), view.host.title.clone(), place.file.clone());
        Ok(SwitchPlan {
            host,
            title,
            enabled,
            file,
            before,
            after,
            skills,
            lost,
            owner,
            place,
            changes,
            selectors: resolved,
        })
    }

    /// Reads the settings as they would be after a change, and looks what it would do. Nothing is written.
    pub fn try_switch(&self, plan: &SwitchPlan) -> Result<SwitchTrial, SettingError> {
        let planned = PlannedFile { path: plan.file.clone(), text: plan.after.clone() };
        self.reopen_planned(Some(&planned))?.outcomes_of(plan, false)
    }

    /// Writes what was planned, and looks again whether it has taken effect. A file that changed since is left alone.
    pub fn apply_switch(&self, plan: &SwitchPlan) -> Result<Vec<SwitchOutcome>, SettingError> {
        self.apply_with(plan, |text| match text == plan.before {
            true => Ok(plan.after.clone()),
            false => Err(SettingError::ChangedMeanwhile(plan.file.clone())),
        })
    }

    /// Switches a skill of the view's catalog in OpenOxide's own settings, and reads again whether it is so.
    pub fn switch(
        &self,
        view: &View,
        catalog: &Catalog,
        request: &SwitchRequest,
    ) -> Result<SwitchOutcome, SettingError> {
        refuse_foreign(view)?;
        let selectors = std::slice::from_ref(&request.selector);
        let plan = self.plan_switch(view, catalog, selectors, request.enabled, request.owner)?;
        // Nobody was shown the text, so the change is made to what is there by now.
        let mut outcomes = self.apply_with(&plan, |text| plan.apply_to(text))?;
        Ok(outcomes.remove(0))
    }

    fn apply_with(
        &self,
        plan: &SwitchPlan,
        change: impl FnOnce(&str) -> Result<String, SettingError>,
    ) -> Result<Vec<SwitchOutcome>, SettingError> {
        let changed = plan.changes_file() && edit_text(&plan.file, plan.owner, change)?;
        if changed && !plan.file.exists() {
            self.remove_empty_folder(&plan.file, plan.owner);
        }
        Ok(self.reopen()?.outcomes_of(plan, changed)?.outcomes)
    }

    /// Looks whether the skills of a plan are as it wants them.
    fn outcomes_of(&self, plan: &SwitchPlan, changed: bool) -> Result<SwitchTrial, SettingError> {
        let (view, _) = self.view(&plan.host)?;
        let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
        let outcome = |(selector, skill): (&SkillSelector, &String)| {
            let found = self.select(&catalog, selector);
            let (enabled, ineffective_reason) = state(&view, &found, plan.enabled);
            SwitchOutcome { skill: skill.clone(), file: plan.file.clone(), changed, enabled, ineffective_reason }
        };
        let outcomes = plan.selectors.iter().zip(&plan.skills).map(outcome).collect();
        Ok(SwitchTrial { outcomes, catalog, view })
    }
}

/// Returns whether one of the skills is on, and why that is not as wanted.
fn state(view: &View, found: &[&Entry], wanted: bool) -> (bool, Option<String>) {
    // A file that is found by two paths is one skill, and only its first entry says that it is disabled.
    let off: Vec<&Path> = found.iter().filter(|entry| ignored(view, entry)).map(|entry| &*entry.skill.path).collect();
    let is_off = |entry: &&&Entry| off.contains(&&*entry.skill.path);
    let enabled = !found.iter().all(|entry| is_off(&entry));
    let Some(other) = found.iter().find(|entry| is_off(entry) == wanted) else { return (enabled, None) };
    let denied = other.problems.iter().map(|problem| &problem.diagnostic.message).next_back().filter(|_| wanted);
    let reason = other.reason.as_ref().map(|reason| &reason.text).or(denied);
    (enabled, Some(reason.map_or_else(|| not_read(view), Clone::clone)))
}

/// Says why settings that were written have no effect.
fn not_read(view: &View) -> String {
    match is_own(view) {
        true => UNTRUSTED.to_owned(),
        false => format!("another setting of {} is stronger", view.host.title),
    }
}

fn ignored(view: &View, entry: &Entry) -> bool {
    entry.status == Status::Disabled || is_denied(view, entry)
}

/// Tells whether settings switch a skill off, whatever else is the matter with it.
fn is_off(view: &View, entry: &Entry) -> bool {
    SwitchRules::of(view).switch_off(view, entry) || is_denied(view, entry)
}

/// Tells whether the program's own rules keep a skill from the model.
fn is_denied(view: &View, entry: &Entry) -> bool {
    use openoxide_permissions::{Action, Permission};
    let rules = view.host_rules();
    rules.deciding(Permission::Skill.as_str(), &entry.skill.name).is_some_and(|rule| rule.action == Action::Deny)
}

/// Tells whether the host keeps its switches in OpenOxide's own settings.
fn is_own(view: &View) -> bool {
    let setting = view.host.switch.as_ref().and_then(|rule| view.host.settings.get(&rule.setting));
    setting.is_some_and(|rule| rule.from.iter().any(|source| source.config.is_some()))
}

/// Refuses hosts that keep their switches in files of their own: only a person who sees the change has those written.
fn refuse_foreign(view: &View) -> Result<(), SettingError> {
    if is_own(view) {
        return Ok(());
    }
    Err(SettingError::Foreign { title: view.host.title.clone(), host: view.spec.id() })
}

/// Refuses skills that the host's switch does not reach.
fn refuse_unfiltered(view: &View, catalog: &Catalog, found: &[&Entry]) -> Result<(), SettingError> {
    let reached = |entry: &&&Entry| !catalog.roots[entry.root].root.rule.unfiltered;
    match found.iter().find(|entry| !reached(entry)) {
        Some(entry) if !found.iter().any(|entry| reached(&entry)) => {
            Err(SettingError::OutOfReach { title: view.host.title.clone(), skill: entry.skill.name.to_string() })
        }
        _ => Ok(()),
    }
}

fn unknown(catalog: &Catalog, selector: &SkillSelector) -> SettingError {
    let wanted = selector.text();
    let names = catalog.entries().map(|entry| entry.skill.name.as_ref());
    let near = if Path::new(&wanted).is_absolute() {
        None
    } else {
        near(&wanted, names).first().map(|near| (*near).to_owned())
    };
    SettingError::UnknownSkill { wanted, near }
}

#[cfg(test)]
mod tests;
