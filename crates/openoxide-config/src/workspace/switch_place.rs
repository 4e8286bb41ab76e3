//! Where and how a host keeps the switches of its skills, as its `[switch]` says.

use std::path::{Path, PathBuf};

use openoxide_skills::catalog::{Catalog, Entry, View};
use openoxide_skills::host::{Combine, Control, Host, SettingDoes, SettingRule, SwitchRule};

use super::{Workspace, set::SettingError};
use crate::document::dotted_key::{self, split_key};
use crate::document::json::JsonDialect;
use crate::host_settings::reader::{layer_files, setting_layers};
use crate::switch_text::{Format, Mark, SwitchChange, switched, values};
use crate::{EditError, SettingsOwner};

/// The settings file that has a host's switches, and how it says them.
#[derive(Clone, Debug)]
pub(super) struct SwitchPlace {
    pub(super) file: PathBuf,
    format: Format,
    key: String,
    does: SettingDoes,
    /// How the setting writes a skill.
    form: String,
}

impl Workspace {
    /// Finds the file with a host's switches, which may not exist yet.
    pub(super) fn switch_place(&self, view: &View, owner: SettingsOwner) -> Result<SwitchPlace, SettingError> {
        let host = &view.host;
        let (switch, setting, does) = switch_of(host).ok_or_else(|| no_switch(host))?;
        let is_own = setting.from.iter().any(|source| source.config.is_some());
        let file = match is_own {
            true => self.settings_file(owner).ok_or(SettingError::NoHome)?,
            false => own_file(view, switch, owner)?,
        };
        let comments = setting_layers(host).any(|layer| layer.comments && holds(view, &layer, &file));
        let dialect = if comments { JsonDialect::WithComments } else { JsonDialect::Strict };
        let format = if is_own { Format::Toml } else { Format::of(&file, dialect) };
        let form = setting.form.clone().unwrap_or_else(|| "{name}".to_owned());
        Ok(SwitchPlace { file, format, key: switch.key.clone(), does, form })
    }
}

impl SwitchPlace {
    /// Applies changes one after the other.
    pub(super) fn switched(&self, text: &str, changes: &[SwitchChange]) -> Result<String, SettingError> {
        let key = split_key(&self.key);
        let mut text = text.to_owned();
        for change in changes {
            text = switched(&text, self.format, &key, change)
                .map_err(|why| EditError::NotChanged { path: self.file.clone(), why: why.to_string() })?;
        }
        Ok(text)
    }

    /// Returns what stands for a skill in the settings, and what to call it: its name, or its path where rules take paths.
    pub(super) fn mark(
        &self,
        view: &View,
        catalog: &Catalog,
        entry: &Entry,
        by_path: bool,
    ) -> Result<(Mark, String), SettingError> {
        let name = entry.skill.name.to_string();
        let mark = match self.does {
            SettingDoes::Switch | SettingDoes::SwitchFolders if by_path => {
                let skill = entry.skill.path.to_string_lossy().into_owned();
                return Ok((Mark::Rule { field: "path", skill: skill.clone() }, skill));
            }
            SettingDoes::Switch | SettingDoes::SwitchFolders => Mark::Rule { field: "name", skill: name.clone() },
            SettingDoes::SetStates => Mark::State { name: name.clone(), on: "on", off: "off" },
            SettingDoes::Permit => Mark::State { name: name.clone(), on: "allow", off: "deny" },
            does => {
                let word = self.form.replace("{name}", &name);
                Mark::Word { word, any_case: does == SettingDoes::SwitchOffAnyCase }
            }
        };
        let same = catalog.entries().filter(|other| *other.skill.name == *name && other.skill.path != entry.skill.path);
        let is_pattern = self.does == SettingDoes::Permit && name.contains(['*', '?']);
        if (by_path && same.count() > 0) || is_pattern {
            return Err(SettingError::OnlyByName { title: view.host.title.clone(), skill: name });
        }
        let named = if by_path { entry.skill.path.to_string_lossy().into_owned() } else { name };
        Ok((mark, named))
    }

    /// Refuses to begin a list that would hide the list of a weaker file: what that one switches off would be on again.
    pub(super) fn refuse_to_hide(&self, view: &View, text: &str, enabled: bool) -> Result<(), SettingError> {
        let Some((switch, setting, _)) = switch_of(&view.host) else { return Ok(()) };
        let adds_up = setting.combine == Combine::AddUp || setting.from.len() == 1 && setting.from[0].layers.is_none();
        let is_there = || {
            let values = values(text, self.format).unwrap_or_default();
            dotted_key::get(&values, &self.key).is_some()
        };
        match view.settings.get(&switch.setting) {
            Some(other) if !enabled && !adds_up && !is_there() => {
                let why = format!(
                    "`{}` there would replace the one of {}; switch the skill in that file",
                    self.key, other.origin
                );
                Err(EditError::NotChanged { path: self.file.clone(), why }.into())
            }
            _ => Ok(()),
        }
    }

    /// Returns the states that a change replaces, and that switching back does not restore.
    pub(super) fn lost(&self, before: &str, changes: &[SwitchChange]) -> Vec<String> {
        let values = values(before, self.format).unwrap_or_default();
        let Some(table) = dotted_key::get(&values, &self.key).and_then(toml::Value::as_table) else {
            return Vec::new();
        };
        let lost = |change: &SwitchChange| match &change.mark {
            Mark::State { name, off, .. } if !change.enabled => {
                let state = table.get(name)?.as_str().filter(|state| state != off)?;
                Some(format!("`{}` of `{name}` back to `{state}`", self.key))
            }
            _ => None,
        };
        changes.iter().filter_map(lost).collect()
    }
}

/// Returns a host's switch, its setting and what that does, if the setting is one that can be written.
fn switch_of(host: &Host) -> Option<(&SwitchRule, &SettingRule, SettingDoes)> {
    use SettingDoes::{Permit, SetStates, Switch, SwitchFolders, SwitchOff, SwitchOffAnyCase};
    let switch = host.switch.as_ref()?;
    let setting = host.settings.get(&switch.setting).filter(|setting| !setting.from.is_empty())?;
    let writable = [Switch, SwitchFolders, SetStates, SwitchOff, SwitchOffAnyCase, Permit];
    Some((switch, setting, setting.does.filter(|does| writable.contains(does))?))
}

/// Returns the program's own file: the first that exists, else the last.
fn own_file(view: &View, switch: &SwitchRule, owner: SettingsOwner) -> Result<PathBuf, SettingError> {
    let templates = match owner {
        SettingsOwner::User => &switch.user,
        SettingsOwner::Project => &switch.project,
    };
    let is_read = |file: &PathBuf| setting_layers(&view.host).any(|layer| holds(view, &layer, file));
    let files = templates.iter().filter_map(|template| view.around.expand(template, &view.host.vars));
    let files: Vec<PathBuf> = files.filter(|file| file.is_absolute() && is_read(file)).collect();
    let existing = files.iter().find(|file| file.symlink_metadata().is_ok());
    existing.or(files.last()).cloned().ok_or_else(|| match owner {
        SettingsOwner::User => no_switch(&view.host),
        SettingsOwner::Project => SettingError::NotInProject { title: view.host.title.clone() },
    })
}

fn holds(view: &View, layer: &openoxide_skills::host::SettingLayer, file: &Path) -> bool {
    layer_files(layer, &view.host, &view.around).iter().any(|place| place == file)
}

/// Says that a host has no switch, and what hides a skill from its model all the same.
fn no_switch(host: &Host) -> SettingError {
    let hides = host.controls.obeyed.contains(&Control::DisableModelInvocation);
    SettingError::NoSwitch { title: host.title.clone(), hides }
}
