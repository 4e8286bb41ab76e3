//! Changes a setting of `config.toml`, and reads again which value is in effect.

use std::path::{Path, PathBuf};

use openoxide_skills::diagnostic::Diagnostic;
use openoxide_skills::settings::{Origin, Setting};
use toml_edit::DocumentMut;

use super::host_problems::{unknown_codes, unknown_model, unusable_host_settings, unusable_names};
use super::{Workspace, error::WorkspaceError};
use crate::environment::{NO_HOME_HINT, NO_HOME_WORD};
use crate::settings::edit::table::{set_key, unset_key};
use crate::settings::edit::{edit, parse, remove_empty_folder, values};
use crate::{
    ConfigKey, EditError, LayerKind, SettingsOwner, ValueKind,
    document::dotted_key,
    entry::enclosing_entry,
    settings::validate::{objection, project_objection, unknown_key},
};

/// Why a project's settings have no effect.
pub(super) const UNTRUSTED: &str = "the project's settings apply only once the project is trusted";

/// A change of a setting.
#[derive(Clone, Debug)]
pub struct SettingChange {
    /// The dotted name.
    pub key: String,
    /// The new value; absent to remove the setting.
    pub value: Option<toml::Value>,
    /// The owner of the settings that are written.
    pub owner: SettingsOwner,
}

/// The outcome of a change.
#[derive(Clone, Debug)]
pub struct SettingOutcome {
    /// The file.
    pub file: PathBuf,
    /// Whether the file changed.
    pub changed: bool,
    /// The keys that were removed with the old value: fields of a server or model that has another endpoint now.
    pub dropped: Vec<String>,
    /// The value in effect and where it is set; absent if there is none.
    pub effective: Option<Setting>,
    /// Why the value in effect is not the one that was written.
    pub ineffective_reason: Option<String>,
}

/// Why a setting was not changed, or a skill not switched.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The host keeps the switches of its skills in its own settings, which only the command line writes.
    #[error("skills of {title} are switched in its own settings, which are not written here")]
    Foreign {
        /// What people call the host.
        title: String,
        /// Its name.
        host: String,
    },
    /// The host has no switch for single skills.
    #[error("{title} has no setting that switches single skills on or off")]
    NoSwitch {
        /// What people call the host.
        title: String,
        /// Whether `disable-model-invocation` in a skill's text keeps it from the model.
        hides: bool,
    },
    /// The host has no switch in a project.
    #[error("{title} does not switch skills in a project's settings")]
    NotInProject {
        /// What people call the host.
        title: String,
    },
    /// The host switches by name, and the path alone does not say enough.
    #[error("{title} switches skills by name, so `{skill}` cannot be switched alone")]
    OnlyByName {
        /// What people call the host.
        title: String,
        /// The name.
        skill: String,
    },
    /// The host's switch does not reach the skill.
    #[error("the settings of {title} do not switch `{skill}`")]
    OutOfReach {
        /// What people call the host.
        title: String,
        /// The skill.
        skill: String,
    },
    /// The file is not the one that was shown.
    #[error("`{}` was changed by another program, so nothing was written", .0.display())]
    ChangedMeanwhile(PathBuf),
    /// There is no such skill.
    #[error("no skill is called `{wanted}`")]
    UnknownSkill {
        /// The name or path.
        wanted: String,
        /// A name that is close to it.
        near: Option<String>,
    },
    /// The value would be ignored in that file.
    #[error("{}", .0.message)]
    Refused(Box<Diagnostic>),
    /// A project may not have the value.
    #[error("{}", .0.message)]
    NotForProjects(Box<Diagnostic>),
    /// The user has no home folder.
    #[error("there is no home folder")]
    NoHome,
    /// The file cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The workspace cannot be opened again.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl SettingError {
    /// Returns the stable word for the error: every face shows the same one.
    pub fn word(&self) -> &'static str {
        match self {
            SettingError::Foreign { .. } => "foreign-settings",
            SettingError::NoSwitch { .. } => "no-switch",
            SettingError::OnlyByName { .. } => "only-by-name",
            SettingError::OutOfReach { .. } => "out-of-reach",
            SettingError::ChangedMeanwhile(_) => "changed-meanwhile",
            SettingError::UnknownSkill { .. } => "unknown",
            SettingError::Refused(_) => "bad-setting",
            SettingError::NotForProjects(_) | SettingError::NotInProject { .. } => "not-for-projects",
            SettingError::NoHome => NO_HOME_WORD,
            SettingError::Edit(error) => error.word(),
            SettingError::Workspace(error) => error.word(),
        }
    }

    /// Returns the next step, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            SettingError::Foreign { host, .. } => {
                Some(format!("in a terminal, `openoxide disable SKILL --host {host}` shows the change and asks"))
            }
            SettingError::NoSwitch { hides: true, .. } => Some(
                "`disable-model-invocation: true` in the skill's frontmatter hides it from the model, in every agent \
                 that obeys it"
                    .to_owned(),
            ),
            SettingError::NoSwitch { hides: false, .. } => Some(
                "move the skill out of the folders where it looks; `openoxide unlink` removes one that was linked"
                    .to_owned(),
            ),
            SettingError::NotInProject { .. } => Some("leave out --in-project".to_owned()),
            SettingError::OnlyByName { skill, .. } => {
                Some(format!("name it: `{skill}` switches every skill of this name"))
            }
            SettingError::OutOfReach { .. } => Some("skills of a plugin are on or off with their plugin".to_owned()),
            SettingError::ChangedMeanwhile(_) => Some("run the command again".to_owned()),
            SettingError::UnknownSkill { near, .. } => near.as_ref().map(|near| format!("did you mean `{near}`?")),
            SettingError::Refused(diagnostic) | SettingError::NotForProjects(diagnostic) => diagnostic.help.clone(),
            SettingError::NoHome => Some(NO_HOME_HINT.to_owned()),
            _ => None,
        }
    }
}

impl ConfigKey {
    /// Finds a key that must be there.
    pub fn known(name: &str) -> Result<&'static ConfigKey, SettingError> {
        ConfigKey::find(name).ok_or_else(|| SettingError::Refused(Box::new(unknown_key(name))))
    }
}

impl SettingChange {
    /// Tells whether the change could widen permissions, so that only the user may make it.
    pub fn widens_permissions(&self) -> bool {
        ConfigKey::find(&self.key).is_none_or(|key| key.widens_permissions(self.value.as_ref()))
    }

    /// Applies the change to a document, unless it would be ignored there. Returns the keys that were removed with the
    /// old value.
    fn apply(&self, document: &mut DocumentMut, file: &Path) -> Result<Vec<String>, SettingError> {
        // Checked first, so that a misspelled key is reported as unknown and not as a bad table.
        ConfigKey::known(&self.key)?;
        let value = self.value.as_ref();
        if let Some(objection) = value.and_then(|value| project_objection(&self.key, value, self.layer())) {
            return Err(SettingError::NotForProjects(Box::new(objection)));
        }
        let before = values(document);
        let mut dropped = Vec::new();
        if let Some(value) = &self.value {
            dropped = set_key(document, file, &self.key, editable(value))?;
        } else {
            unset_key(document, &self.key);
        }
        refuse(self.objection(&before, &values(document)))?;
        Ok(dropped)
    }

    /// Returns why the result would be ignored. A server or a model is valid or invalid as a whole, whichever field
    /// is changed.
    fn objection(&self, before: &toml::Table, after: &toml::Table) -> Option<Diagnostic> {
        let Some(entry) = enclosing_entry(&self.key) else {
            return objection(&self.key, self.value.as_ref()?, self.layer());
        };
        let wrong = |table: &toml::Table| objection(&entry, dotted_key::get(table, &entry)?, self.layer());
        match self.value {
            Some(_) => wrong(after),
            // An invalid one may be repaired field by field.
            None if wrong(before).is_some() => None,
            None => wrong(after).map(|wrong| wrong.help(format!("to remove it as a whole, remove `{entry}`"))),
        }
    }

    fn layer(&self) -> LayerKind {
        match self.owner {
            SettingsOwner::User => LayerKind::User,
            SettingsOwner::Project => LayerKind::Project,
        }
    }
}

impl Workspace {
    /// Checks a change without making it. Returns the file that it would be written to.
    pub fn validate_setting(&self, change: &SettingChange) -> Result<PathBuf, SettingError> {
        self.refuse_unknown_names(change)?;
        let file = self.settings_file(change.owner).ok_or(SettingError::NoHome)?;
        let (_, mut document) = parse(&file, change.owner)?;
        change.apply(&mut document, &file)?;
        Ok(file)
    }

    /// Changes a setting, and reads again which value is in effect. A change that would be ignored is not written.
    pub fn set(&self, change: &SettingChange) -> Result<SettingOutcome, SettingError> {
        self.refuse_unknown_names(change)?;
        let file = self.settings_file(change.owner).ok_or(SettingError::NoHome)?;
        let mut dropped = Vec::new();
        let changed = edit(&file, change.owner, |document| {
            dropped = change.apply(document, &file)?;
            Ok::<(), SettingError>(())
        })?;
        if changed && !file.exists() {
            self.remove_empty_folder(&file, change.owner);
        }
        let now = self.reopen()?.config;
        let effective = now.get(&change.key);
        let is_active = !now.layers.iter().any(|layer| layer.path.as_ref() == Some(&file) && !layer.is_active);
        let ineffective_reason = ineffective_reason(change, effective.as_ref(), is_active);
        Ok(SettingOutcome { file, changed, dropped, effective, ineffective_reason })
    }

    /// Removes the folder of a settings file that was removed, if nothing is left in it.
    pub(super) fn remove_empty_folder(&self, file: &Path, owner: SettingsOwner) {
        let environment = &self.environment;
        let kept = [Some(&self.project), Some(&environment.cwd), environment.home.as_ref()];
        let kept: Vec<&Path> = kept.into_iter().flatten().map(PathBuf::as_path).collect();
        remove_empty_folder(file, owner, &kept);
    }

    /// Refuses names of hosts, of their settings, of models and of codes that do not exist, and values that a host's setting does not
    /// take.
    fn refuse_unknown_names(&self, change: &SettingChange) -> Result<(), SettingError> {
        let (Some(key), Some(value)) = (ConfigKey::find(&change.key), &change.value) else { return Ok(()) };
        let problems = match key.kind {
            ValueKind::HostName | ValueKind::HostNames => unusable_names(&self.hosts, &change.key, value),
            ValueKind::Codes => unknown_codes(&change.key, value),
            ValueKind::ModelName => unknown_model(&self.config, value).into_iter().collect(),
            ValueKind::Hosts => {
                let mut table = toml::Table::new();
                dotted_key::insert(&mut table, &dotted_key::split_key(&change.key), value.clone());
                let tables = table.get(key.name).and_then(toml::Value::as_table);
                tables.map(|tables| unusable_host_settings(&self.hosts, tables)).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        refuse(problems.into_iter().next())
    }
}

fn refuse(objection: Option<Diagnostic>) -> Result<(), SettingError> {
    objection.map_or(Ok(()), |objection| Err(SettingError::Refused(Box::new(objection))))
}

/// Converts a value to the type that edits use.
fn editable(value: &toml::Value) -> toml_edit::Value {
    value.to_string().parse().unwrap_or_else(|_| value.as_str().unwrap_or_default().into())
}

fn ineffective_reason(change: &SettingChange, effective: Option<&Setting>, is_active: bool) -> Option<String> {
    let is_in_effect = match (&change.value, effective) {
        (Some(wanted), Some(setting)) => setting.value == *wanted,
        (Some(_), None) => false,
        (None, setting) => setting.is_none_or(|setting| setting.origin == Origin::Default),
    };
    match effective {
        _ if is_in_effect => None,
        _ if !is_active => Some(UNTRUSTED.to_owned()),
        Some(setting) => Some(format!("{} overrides it", setting.origin)),
        None => Some("the file says something else by now".to_owned()),
    }
}

#[cfg(test)]
mod tests;
