//! Changes a setting of `config.toml`, and reads again which value is in effect.

use std::path::{Path, PathBuf};

use openoxide_skills::settings::{Origin, Setting};
use openoxide_skills::{diagnostic::Diagnostic, text::path_text};
use toml_edit::DocumentMut;

use super::{Workspace, error::WorkspaceError, host_problems::unusable_names};
use crate::environment::{NO_HOME_HINT, NO_HOME_WORD};
use crate::settings::edit::table::{set_key, unset_key};
use crate::settings::edit::{edit, parse, values};
use crate::{
    ConfigKey, EditError, LayerKind, SettingsOwner, ValueKind,
    document::dotted_key,
    mcp::enclosing_server,
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
    /// The keys that were removed with the old value: fields of a server that has another endpoint now.
    pub dropped: Vec<String>,
    /// The value in effect and where it is set; absent if there is none.
    pub effective: Option<Setting>,
    /// Why the value in effect is not the one that was written.
    pub ineffective_reason: Option<String>,
}

/// Why a setting was not changed, or a skill not switched.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The host keeps the switches of its skills in its own settings.
    #[error("the settings of {title} are its own, and are never written here")]
    Foreign {
        /// The host.
        title: String,
        /// The host's setting that switches skills and its file, where they are known.
        setting: Option<(String, PathBuf)>,
    },
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
    /// OpenOxide's own skills cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] std::io::Error),
    /// The workspace cannot be opened again.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl SettingError {
    /// Returns the stable word for the error: every face shows the same one.
    pub fn word(&self) -> &'static str {
        match self {
            SettingError::Foreign { .. } => "foreign-settings",
            SettingError::UnknownSkill { .. } => "unknown",
            SettingError::Refused(_) => "bad-setting",
            SettingError::NotForProjects(_) => "not-for-projects",
            SettingError::NoHome => NO_HOME_WORD,
            SettingError::Edit(error) => error.word(),
            SettingError::Unpack(_) => "not-unpacked",
            SettingError::Workspace(error) => error.word(),
        }
    }

    /// Returns the next step, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            SettingError::Foreign { setting: Some((key, file)), .. } => {
                Some(format!("change `{key}` in {}", path_text(file)))
            }
            SettingError::Foreign { setting: None, .. } => Some("change the program's own settings".to_owned()),
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

    /// Returns why the result would be ignored. A server is valid or invalid as a whole, whichever field is changed.
    fn objection(&self, before: &toml::Table, after: &toml::Table) -> Option<Diagnostic> {
        let Some(server) = enclosing_server(&self.key) else {
            return objection(&self.key, self.value.as_ref()?, self.layer());
        };
        let wrong = |table: &toml::Table| objection(&server, dotted_key::get(table, &server)?, self.layer());
        match self.value {
            Some(_) => wrong(after),
            // An invalid server may be repaired field by field.
            None if wrong(before).is_some() => None,
            None => wrong(after).map(|wrong| wrong.help(format!("to remove the whole server, remove `{server}`"))),
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
        self.refuse_unknown_hosts(change)?;
        let file = self.settings_file(change.owner).ok_or(SettingError::NoHome)?;
        let (_, mut document) = parse(&file, change.owner)?;
        change.apply(&mut document, &file)?;
        Ok(file)
    }

    /// Changes a setting, and reads again which value is in effect. A change that would be ignored is not written.
    pub fn set(&self, change: &SettingChange) -> Result<SettingOutcome, SettingError> {
        self.refuse_unknown_hosts(change)?;
        let file = self.settings_file(change.owner).ok_or(SettingError::NoHome)?;
        let mut dropped = Vec::new();
        let changed = edit(&file, change.owner, |document| {
            dropped = change.apply(document, &file)?;
            Ok::<(), SettingError>(())
        })?;
        let now = self.reopen()?.config;
        let effective = now.get(&change.key);
        let is_active = !now.layers.iter().any(|layer| layer.path.as_ref() == Some(&file) && !layer.is_active);
        let ineffective_reason = ineffective_reason(change, effective.as_ref(), is_active);
        Ok(SettingOutcome { file, changed, dropped, effective, ineffective_reason })
    }

    /// Refuses the name of a host that does not exist.
    fn refuse_unknown_hosts(&self, change: &SettingChange) -> Result<(), SettingError> {
        let names_hosts = ConfigKey::find(&change.key)
            .is_some_and(|key| matches!(key.kind, ValueKind::HostName | ValueKind::HostNames));
        let Some(value) = change.value.as_ref().filter(|_| names_hosts) else { return Ok(()) };
        refuse(unusable_names(&self.hosts, &change.key, value).into_iter().next())
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
