//! `enable` and `disable`: switches skills on and off in OpenOxide's own settings.

use openoxide_app::switch::{change_answer, ineffective};
use openoxide_app::{Depth, SettingsOwner, SkillSelector, SwitchOutcome, SwitchRequest, Workspace, paths};

use crate::session::{say_unpacked, search};
use crate::ui::{ExitStatus, Ui, safe};

/// The skill, and whose settings are written.
#[derive(Debug, clap::Args)]
pub(crate) struct SwitchArgs {
    /// A skill's name, or the path of its folder or file
    skill: String,
    /// Write to the project's settings instead of yours
    #[arg(long)]
    in_project: bool,
}

pub(crate) fn switch(ui: &Ui, args: &SwitchArgs, enabled: bool) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    let owner = if args.in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let request = SwitchRequest { selector: SkillSelector::Typed(args.skill.clone()), enabled, owner };
    let outcome = openoxide_app::switch::switch(&snapshot, &request)?;
    report(ui, &snapshot.workspace, &outcome, enabled)
}

fn report(ui: &Ui, workspace: &Workspace, outcome: &SwitchOutcome, enabled: bool) -> anyhow::Result<ExitStatus> {
    if let Some(folder) = &outcome.unpacked {
        say_unpacked(ui, workspace, folder);
    }
    let (word, skill) = (if enabled { "on" } else { "off" }, safe(&outcome.skill));
    ui.say(&match outcome.changed {
        true => format!("{skill} is switched {word} in {}", paths::short(workspace, &outcome.file)),
        false => format!("{skill} was switched {word} already"),
    });
    ui.json_if_asked(&change_answer(outcome, enabled))?;
    if let (Some(_), Some(reason)) = (ineffective(outcome), &outcome.ineffective_reason) {
        ui.warn(&format!("it is still {}: {}", if enabled { "off" } else { "on" }, safe(reason)));
        return Ok(ExitStatus::No);
    }
    Ok(ExitStatus::Done)
}
