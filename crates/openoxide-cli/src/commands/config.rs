//! `config`: settings with their origin, and edits that keep comments.

use std::fmt::Write as _;

use openoxide_app::settings::{self, FileState};
use openoxide_app::{SettingOutcome, SettingsOwner, Workspace, paths, problems};

use crate::session::{open_workspace, removed_line, warn_of};
use crate::table::{fill, pad, widest};
use crate::ui::{ExitStatus, Role, Ui, paint, safe};

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
        #[arg(allow_negative_numbers = true)]
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

pub(crate) fn config(ui: &Ui, args: &ConfigArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    match &args.action {
        None => get(ui, &workspace, None),
        Some(Action::Get { key }) => get(ui, &workspace, key.as_deref()),
        Some(Action::Set { key, value, in_project }) => {
            let outcome = settings::set(&workspace, key, value, owner(*in_project))?;
            say_set(ui, &workspace, key, &outcome);
            ui.json_if_asked(&settings::change_answer("set", key, &outcome))
        }
        Some(Action::Unset { key, in_project }) => {
            let outcome = settings::unset(&workspace, key, owner(*in_project))?;
            let shown = paths::short(&workspace, &outcome.file);
            ui.say(&match outcome.changed {
                true => format!("{key} is removed from {shown}"),
                false => format!("{key} was not set in {shown}"),
            });
            if outcome.changed && !outcome.file.exists() {
                ui.say(&removed_line(&workspace, &outcome.file));
            }
            ui.json_if_asked(&settings::change_answer("unset", key, &outcome))
        }
        Some(Action::Path) => path(ui, &workspace),
    }
}

fn owner(in_project: bool) -> SettingsOwner {
    if in_project { SettingsOwner::Project } else { SettingsOwner::User }
}

fn get(ui: &Ui, workspace: &Workspace, key: Option<&str>) -> anyhow::Result<ExitStatus> {
    let answer = settings::get(workspace, key)?;
    if ui.common.json {
        return ui.json(&answer);
    }
    warn_of(ui, workspace, problems::of_settings(workspace));
    let width = widest(answer.values.iter().map(|value| value.key.as_str()), 28);
    let mut text = String::new();
    for value in &answer.values {
        let shown = value.value.as_ref().map_or_else(|| "not set".to_owned(), ToString::to_string);
        let home = |text: &str| safe(&paths::abbreviate_home(workspace, text));
        let lead = format!("{}  ", pad(&value.key, width));
        let line = match value.value {
            Some(_) => format!("{}  {}", pad(&home(&shown), 12), paint(Role::Dim, &home(&value.origin))),
            None => shown,
        };
        let _ = writeln!(text, "{}", fill(&lead, &line, ui.width));
    }
    ui.data(&text)?;
    Ok(ExitStatus::Done)
}

fn say_set(ui: &Ui, workspace: &Workspace, key: &str, outcome: &SettingOutcome) {
    let shown = paths::short(workspace, &outcome.file);
    ui.say(&match outcome.changed {
        true => format!("{key} is set in {shown}"),
        false => format!("{key} had this value already in {shown}"),
    });
    if !outcome.dropped.is_empty() {
        let dropped = outcome.dropped.iter().map(|key| safe(key)).collect::<Vec<_>>().join(", ");
        ui.warn(&format!("{dropped}: removed, because the server is another one now; set anew what it may have"));
    }
}

fn path(ui: &Ui, workspace: &Workspace) -> anyhow::Result<ExitStatus> {
    let mut text = String::new();
    for (path, state) in settings::files(workspace) {
        let state = match state {
            FileState::Missing => "not there",
            FileState::Active => "active",
            FileState::Untrusted => "ignored: the project is not trusted",
        };
        let _ = writeln!(text, "{}  {state}", paths::short(workspace, &path));
    }
    ui.data(&text)?;
    Ok(ExitStatus::Done)
}
