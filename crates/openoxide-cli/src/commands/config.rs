//! `config`: settings with their origin, and edits that keep comments.

use std::fmt::Write as _;

use openoxide_config::{
    CONFIG_KEYS, ConfigKey, ProjectAccess, SettingChange, SettingError, SettingOutcome, SettingsOwner, Workspace,
};
use openoxide_skills::near;
use openoxide_wire::{ChangeAnswer, ChangeLine, ConfigAnswer, ConfigValue, ProblemLine, SchemaVersion};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::{open_workspace, problem_line};
use crate::table::{fill, pad, widest};
use crate::ui::{Role, Ui, paint, safe};

/// Show settings and where they come from, or change them
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

/// What to do with settings.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show every setting, or one
    Get {
        /// The setting, such as `skills.paths`
        key: Option<String>,
    },
    /// Set a setting, keeping comments and order
    Set {
        /// The setting, such as `skills.paths`
        key: String,
        /// The value, as TOML; anything else is text
        value: String,
        /// Write to the project's settings instead of yours
        #[arg(long)]
        in_project: bool,
    },
    /// Remove a setting
    Unset {
        /// The setting
        key: String,
        /// Write to the project's settings instead of yours
        #[arg(long)]
        in_project: bool,
    },
    /// Show the files that settings are read from
    Path,
}

pub(crate) fn config(ui: &Ui, common: &Common, args: &ConfigArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui, common)?;
    match &args.action {
        None => get(ui, common, &workspace, None),
        Some(Action::Get { key }) => get(ui, common, &workspace, key.as_deref()),
        Some(Action::Set { key, value, in_project }) => set(ui, common, &workspace, key, value, *in_project),
        Some(Action::Unset { key, in_project }) => unset(ui, common, &workspace, key, *in_project),
        Some(Action::Path) => path(ui, &workspace),
    }
}

pub(super) fn get(ui: &Ui, common: &Common, workspace: &Workspace, key: Option<&str>) -> anyhow::Result<ExitStatus> {
    if let Some(key) = key {
        known(key)?;
    }
    let value_of = |name: &str, about: &str| {
        let setting = workspace.config.get(name);
        ConfigValue {
            key: name.to_owned(),
            origin: setting.as_ref().map_or_else(|| "not set".to_owned(), |setting| setting.origin.to_string()),
            value: setting.and_then(|setting| serde_json::to_value(setting.value).ok()),
            about: about.to_owned(),
        }
    };
    let values: Vec<ConfigValue> = match key {
        Some(key) => vec![value_of(key, ConfigKey::find(key).map_or("", |known| known.about))],
        None => CONFIG_KEYS.iter().map(|known| value_of(known.name, known.about)).collect(),
    };
    if common.json {
        let problems = workspace
            .config
            .problems
            .iter()
            .map(|problem| ProblemLine::new(problem.path.as_deref(), &problem.diagnostic));
        ui.json(&ConfigAnswer { schema: SchemaVersion::default(), values, problems: problems.collect() })?;
        return Ok(ExitStatus::Done);
    }
    for problem in &workspace.config.problems {
        ui.warn(&problem_line(workspace, problem));
    }
    let width = widest(values.iter().map(|value| value.key.as_str()), 28);
    let mut text = String::new();
    for value in &values {
        let shown = value.value.as_ref().map_or_else(|| "not set".to_owned(), ToString::to_string);
        let (shown, origin) = (paths::homely(workspace, &shown), paths::homely(workspace, &value.origin));
        let lead = format!("{}  ", pad(&value.key, width));
        let line = format!("{}  {}", pad(&safe(&shown), 12), paint(Role::Dim, &safe(&origin)));
        let _ = writeln!(text, "{}", fill(&lead, &line, ui.width()));
    }
    ui.data(&text)?;
    Ok(ExitStatus::Done)
}

fn known(key: &str) -> Result<&'static ConfigKey, Told> {
    ConfigKey::find(key).ok_or_else(|| {
        let hint = match near(key, CONFIG_KEYS.iter().map(|known| known.name)).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`openoxide config` lists every setting".to_owned(),
        };
        Told::failed(format!("there is no setting `{}`", safe(key))).hint(hint)
    })
}

fn set(
    ui: &Ui,
    common: &Common,
    workspace: &Workspace,
    key: &str,
    value: &str,
    in_project: bool,
) -> anyhow::Result<ExitStatus> {
    let rule = known(key)?;
    let parsed: toml_edit::Value = value.parse().unwrap_or_else(|_| toml_edit::Value::from(value));
    let plain: Option<toml::Value> =
        format!("value = {parsed}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("value"));
    if rule.name == key && !plain.as_ref().is_some_and(|plain| rule.accepts(plain)) {
        return Err(Told::failed(format!("`{key}` must be {}", rule.expected())).hint(rule.about).into());
    }
    if in_project && !plain.as_ref().is_some_and(|plain| rule.project.allows(plain)) {
        let message = match rule.project {
            ProjectAccess::Only(strict) => format!("a project can set `{key}` to `{strict}` only"),
            _ => format!("a project cannot set `{key}`"),
        };
        return Err(Told::failed(message).hint("leave out --in-project").into());
    }
    let came = change(workspace, key, plain, in_project)?;
    let shown = paths::short(workspace, &came.file);
    ui.say(&if came.changed {
        format!("{key} is set in {shown}")
    } else {
        format!("{key} had this value already in {shown}")
    });
    if !came.dropped.is_empty() {
        let dropped = came.dropped.iter().map(|key| safe(key)).collect::<Vec<_>>().join(", ");
        ui.warn(&format!("{dropped}: removed, because the server is another one now; set anew what it may have"));
    }
    answer(ui, common, &came, "set", key)
}

/// Changes a setting, if what comes of it counts.
fn change(
    workspace: &Workspace,
    key: &str,
    value: Option<toml::Value>,
    in_project: bool,
) -> anyhow::Result<SettingOutcome> {
    let owner = if in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let changed = workspace.set(&SettingChange { key: key.to_owned(), value, owner });
    changed.map_err(|error| match (&error, error.hint()) {
        (SettingError::Refused(_) | SettingError::NoHome, Some(hint)) => {
            Told::failed(safe(&error.to_string())).hint(safe(&hint)).into()
        }
        _ => error.into(),
    })
}

fn unset(ui: &Ui, common: &Common, workspace: &Workspace, key: &str, in_project: bool) -> anyhow::Result<ExitStatus> {
    known(key)?;
    let came = change(workspace, key, None, in_project)?;
    let shown = paths::short(workspace, &came.file);
    ui.say(&match came.changed {
        true => format!("{key} is removed from {shown}"),
        false => format!("{key} was not set in {shown}"),
    });
    answer(ui, common, &came, "unset", key)
}

fn answer(ui: &Ui, common: &Common, came: &SettingOutcome, done: &str, key: &str) -> anyhow::Result<ExitStatus> {
    if common.json {
        let line = |done, key: &str| ChangeLine::new(done, &came.file, Some(key.to_owned()));
        let own = came.changed.then(|| line(done, key));
        let dropped = came.dropped.iter().map(|key| line("unset", key));
        ui.json(&ChangeAnswer::new(own.into_iter().chain(dropped).collect(), None))?;
    }
    Ok(ExitStatus::Done)
}

fn path(ui: &Ui, workspace: &Workspace) -> anyhow::Result<ExitStatus> {
    let environment = &workspace.environment;
    let mut files = vec![environment.admin.join("config.toml")];
    files.extend(environment.openoxide_home().map(|home| home.join("config.toml")));
    files.push(workspace.project.join(".openoxide/config.toml"));
    let mut text = String::new();
    for file in files {
        let layer = workspace.config.layers.iter().find(|layer| layer.path.as_ref() == Some(&file));
        let state = match layer {
            None => "not there",
            Some(layer) if layer.is_active => "counts",
            Some(_) => "does not count: the project is not trusted",
        };
        let _ = writeln!(text, "{}  {state}", paths::short(workspace, &file));
    }
    ui.data(&text)?;
    Ok(ExitStatus::Done)
}
