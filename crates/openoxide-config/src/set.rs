//! Changes a setting of our own, and looks again what counts.

use std::path::PathBuf;

use openoxide_skills::{Diagnostic, Origin, Setting};

use crate::edit::{EditError, SettingsFile, set_value, unset_value};
use crate::keys::Key;
use crate::layers::{LayerKind, objection};
use crate::switch::Whose;
use crate::workspace::{Workspace, WorkspaceError};

/// What a setting is to be.
#[derive(Clone, Debug)]
pub struct SettingChange {
    /// The dotted name.
    pub key: String,
    /// The value; absent: the setting is removed.
    pub value: Option<toml::Value>,
    /// Whose settings are written.
    pub whose: Whose,
}

/// What is so now.
#[derive(Clone, Debug)]
pub struct SettingChanged {
    /// The settings that were written.
    pub file: PathBuf,
    /// Whether they had to be changed.
    pub changed: bool,
    /// The value that counts, and where it is set; absent if there is none.
    pub effective: Option<Setting>,
    /// Why what counts is not what was written.
    pub why_not: Option<String>,
}

/// Why a setting was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The value would not count where it would be written.
    #[error("{}", .0.message)]
    Refused(Box<Diagnostic>),
    /// There is no folder for the user's settings.
    #[error("there is no home folder")]
    NoHome,
    /// The settings cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The project cannot be looked at again.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl SettingError {
    /// Says what to do about it, if that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            SettingError::Refused(diagnostic) => diagnostic.help.clone(),
            SettingError::NoHome => Some("set HOME or OPENOXIDE_HOME".to_owned()),
            _ => None,
        }
    }
}

impl SettingChange {
    /// Tells whether it could give power, so that nobody but the user may want it; a project's settings may not give any.
    pub fn gives_power(&self) -> bool {
        Key::find(&self.key).is_none_or(|key| key.gives_power(self.value.as_ref()))
    }
}

impl Workspace {
    /// Returns the file that a change would be written to. It is an error if the change would not count for what it says.
    pub fn would_set(&self, change: &SettingChange) -> Result<PathBuf, SettingError> {
        let kind = match change.whose {
            Whose::User => LayerKind::User,
            Whose::Project => LayerKind::Project,
        };
        if let Some(objection) = objection(&change.key, change.value.as_ref(), kind) {
            return Err(SettingError::Refused(Box::new(objection)));
        }
        self.settings_file(change.whose).ok_or(SettingError::NoHome)
    }

    /// Changes a setting, and looks again what counts. Nothing is written that would not count for what it says.
    pub fn set(&self, change: &SettingChange) -> Result<SettingChanged, SettingError> {
        let file = self.would_set(change)?;
        let target = SettingsFile { path: &file, whose: change.whose };
        let changed = match &change.value {
            Some(value) => set_value(target, &change.key, edited(value))?,
            None => file.exists() && unset_value(target, &change.key)?,
        };
        let now = self.reopen()?.config;
        let effective = now.get(&change.key);
        let counts = !now.layers.iter().any(|layer| layer.path.as_ref() == Some(&file) && !layer.counts);
        let why_not = why_not(change, effective.as_ref(), counts);
        Ok(SettingChanged { file, changed, effective, why_not })
    }
}

/// Returns a value as a settings file is edited with it.
fn edited(value: &toml::Value) -> toml_edit::Value {
    value.to_string().parse().unwrap_or_else(|_| value.as_str().unwrap_or_default().into())
}

fn why_not(change: &SettingChange, effective: Option<&Setting>, counts: bool) -> Option<String> {
    let is_as_wanted = match (&change.value, effective) {
        (Some(wanted), Some(setting)) => setting.value == *wanted,
        (Some(_), None) => false,
        (None, setting) => setting.is_none_or(|setting| setting.origin == Origin::Default),
    };
    match effective {
        _ if is_as_wanted => None,
        _ if !counts => Some("the project's settings count only once the project is trusted".to_owned()),
        Some(setting) => Some(format!("what counts is what {} says", setting.origin)),
        None => Some("the file says something else by now".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::workspace::Options;

    fn set(
        key: &str,
        value: Option<toml::Value>,
        whose: Whose,
        flags: &[&str],
    ) -> (String, Result<SettingChanged, String>) {
        let dir = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(dir.path()).unwrap();
        fs_err::create_dir_all(home.join("p/.git")).unwrap();
        fs_err::create_dir_all(home.join(".openoxide")).unwrap();
        fs_err::write(home.join(".openoxide/config.toml"), "# mine\n[skills]\nclaude = true # why\n").unwrap();
        let (cwd, admin) = (home.join("p"), home.join("admin"));
        let environment = Environment { cwd, home: Some(home.clone()), admin, ..Environment::default() };
        let config = flags.iter().map(|&flag| flag.to_owned()).collect();
        let workspace = Workspace::open(environment, Options { config, ..Options::default() }).unwrap();
        let changed = workspace.set(&SettingChange { key: key.to_owned(), value, whose });
        let text = fs_err::read_to_string(home.join(".openoxide/config.toml")).unwrap();
        (text, changed.map_err(|error| format!("{error}; {}", error.hint().unwrap_or_default())))
    }

    #[test]
    fn what_could_give_power_is_known() {
        let gives = |key: &str, value: &str| {
            let value =
                (!value.is_empty()).then(|| format!("x = {value}").parse::<toml::Table>().unwrap()["x"].clone());
            SettingChange { key: key.to_owned(), value, whose: Whose::User }.gives_power()
        };
        for (key, value) in [
            ("permission.shell", "\"allow\""),
            ("permission.shell", "\"ask\""),
            ("permission", "{ skill = { x = \"deny\" } }"),
            ("permission.shell", ""),
            ("agents.a.permission", "{ shell = \"allow\" }"),
            ("hosts.x.permission", "{ skill = \"allow\" }"),
            ("trust.folders", "[\"/\"]"),
            ("sandbox.network", "true"),
            ("sandbox.writable", "[\"/\"]"),
            ("sandbox.time", "99999"),
            ("mcp.servers.x", "{ command = \"sh\" }"),
            ("skills.shell", "true"),
            ("skills.shell", ""),
            ("skills.untrusted_loses", "false"),
            ("no.such", "1"),
        ] {
            assert!(gives(key, value), "{key} = {value}");
        }
        for (key, value) in [
            ("permission.shell", "\"deny\""),
            ("sandbox.network", "false"),
            ("skills.shell", "false"),
            ("skills.profiles", "\"strict\""),
            ("skills.claude", ""),
            ("skills.paths", "[\"/x\"]"),
            ("color", "\"never\""),
        ] {
            assert!(!gives(key, value), "{key} = {value}");
        }
    }

    #[test]
    fn what_is_written_counts_or_that_is_said() {
        let (text, changed) = set("skills.claude", Some(false.into()), Whose::User, &[]);
        assert_eq!(text, "# mine\n[skills]\nclaude = false # why\n");
        let changed = changed.unwrap();
        assert_eq!((changed.changed, changed.effective.unwrap().value, changed.why_not), (true, false.into(), None));
        let (_, stronger) = set("skills.claude", Some(false.into()), Whose::User, &["skills.claude=true"]);
        let stronger = stronger.unwrap();
        assert_eq!(stronger.effective.unwrap().value, true.into());
        assert!(stronger.why_not.unwrap().starts_with("what counts is what "));
        let (_, removed) = set("skills.claude", None, Whose::User, &[]);
        let removed = removed.unwrap();
        assert_eq!(
            (removed.changed, removed.effective.unwrap().origin, removed.why_not),
            (true, Origin::Default, None)
        );
        let (_, project) = set("skills.claude", Some(false.into()), Whose::Project, &[]);
        let why = "the project's settings count only once the project is trusted";
        assert_eq!(project.unwrap().why_not.as_deref(), Some(why));
    }

    #[test]
    fn what_would_not_count_is_not_written() {
        let rule = |text: &str| text.parse::<toml::Table>().unwrap().into();
        let cases: [(&str, toml::Value, Whose, &str); 6] = [
            ("skils.paths", "x".into(), Whose::User, "there is no setting `skils.paths`; did you mean `skills.paths`?"),
            ("skills.claude", "x".into(), Whose::User, "`skills.claude` must be `true` or `false`; the value does"),
            ("sandbox.network", true.into(), Whose::Project, "a project can set `sandbox.network` to `false` only"),
            ("trust.folders", toml::Value::Array(vec![]), Whose::Project, "a project cannot set `trust.folders`"),
            ("permission.shell", rule("\"*\" = \"perhaps\""), Whose::User, ""),
            ("mcp.servers.x", rule("nothing = 1"), Whose::User, "`mcp.servers.x`: "),
        ];
        for (key, value, whose, expected) in cases {
            let (text, refused) = set(key, Some(value), whose, &[]);
            let refused = refused.unwrap_err();
            assert!(refused.starts_with(expected), "{key}: {refused}");
            assert_eq!(text, "# mine\n[skills]\nclaude = true # why\n");
        }
    }
}
