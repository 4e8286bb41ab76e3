//! Switches skills on and off in `config.toml`, and reads again whether that has taken effect.

use std::path::{Path, PathBuf};

use openoxide_skills::catalog::{Catalog, Depth, Entry, Status, View, load};
use openoxide_skills::text::near;

use super::set::{SettingError, UNTRUSTED};
use super::{Workspace, skill_selector::SkillSelector};
use crate::{SettingsOwner, settings::edit::add_skill_rule, system_skills::unpack_system_skills};

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

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchOutcome {
    /// The name, or the path of the file, that the rule is for.
    pub skill: String,
    /// The file that has the rule.
    pub file: PathBuf,
    /// Whether the file changed.
    pub changed: bool,
    /// The folder that OpenOxide's own skills were unpacked to, if that was necessary.
    pub unpacked: Option<PathBuf>,
    /// Whether the skill is on now. Several skills of one name are on if one of them is.
    pub enabled: bool,
    /// Why the skill is not as requested.
    pub ineffective_reason: Option<String>,
}

impl Workspace {
    /// Switches a skill of the view's catalog, and reads again whether it is so.
    pub fn switch(
        &self,
        view: &View,
        catalog: &Catalog,
        request: &SwitchRequest,
    ) -> Result<SwitchOutcome, SettingError> {
        refuse_foreign(view)?;
        let found = self.select(catalog, &request.selector);
        let first = found.first().ok_or_else(|| unknown(catalog, &request.selector))?;
        let (field, skill) = match request.selector.is_path() {
            true => ("path", first.skill.path.to_string_lossy().into_owned()),
            false => ("name", first.skill.name.to_string()),
        };
        let path = self.settings_file(request.owner).ok_or(SettingError::NoHome)?;
        let changed = add_skill_rule(&path, request.owner, field, &skill, request.enabled)?;
        let unpacked = self.unpack_system_skills()?;
        let (enabled, ineffective_reason) = self.switched_state(view, &skill, request)?;
        Ok(SwitchOutcome { skill, file: path, changed, unpacked, enabled, ineffective_reason })
    }

    /// Unpacks OpenOxide's own skills into the user's folder. Returns their folder if that changed something.
    pub fn unpack_system_skills(&self) -> Result<Option<PathBuf>, std::io::Error> {
        let Some(home) = self.environment.openoxide_home() else { return Ok(None) };
        Ok(unpack_system_skills(&home)?.then(|| home.join("skills/.system")))
    }

    /// Loads the skills again. Returns whether the skill is on, and why that is not as requested.
    fn switched_state(
        &self,
        view: &View,
        skill: &str,
        request: &SwitchRequest,
    ) -> Result<(bool, Option<String>), SettingError> {
        let workspace = self.reopen()?;
        let (view, _) = workspace.view(&view.spec.id())?;
        let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
        let selector = match request.selector.is_path() {
            true => SkillSelector::Path(skill.into()),
            false => SkillSelector::Name(skill.to_owned()),
        };
        let found = workspace.select(&catalog, &selector);
        if found.is_empty() {
            return Err(unknown(&catalog, &selector));
        }
        // A file that is found by two paths is one skill, and only its first entry says that it is disabled.
        let disabled = found.iter().filter(|entry| entry.status == Status::Disabled);
        let disabled: Vec<&Path> = disabled.map(|entry| &*entry.skill.path).collect();
        let is_off = |entry: &&&Entry| disabled.contains(&&*entry.skill.path);
        let Some(other) = found.iter().find(|entry| is_off(entry) == request.enabled) else {
            return Ok((request.enabled, None));
        };
        let reason = other.reason.as_ref().map_or_else(|| UNTRUSTED.to_owned(), |reason| reason.text.clone());
        Ok((!found.iter().all(|entry| is_off(&entry)), Some(reason)))
    }
}

/// Refuses hosts that keep their switches in files of their own: those are never written.
fn refuse_foreign(view: &View) -> Result<(), SettingError> {
    let host = &view.host;
    let rule = host.switching().map(|(_, rule)| rule);
    if rule.is_some_and(|rule| rule.from.iter().any(|source| source.config.is_some())) {
        return Ok(());
    }
    let setting = rule.and_then(|rule| {
        rule.from
            .iter()
            .rev()
            .find_map(|source| Some((source.key.clone()?, view.around.expand(source.file.as_ref()?, &host.vars)?)))
    });
    Err(SettingError::Foreign { title: host.title.clone(), setting })
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
