//! `enable` and `disable`: switches skills on and off in OpenOxide's own settings.

use openoxide_app::{Depth, SettingsOwner, SkillSelector, SwitchOutcome, SwitchRequest, paths, switch::change_answer};

use crate::session::{Session, say_unpacked};
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
    let session = Session::open(ui)?;
    session.warn(ui);
    let owner = if args.in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let request = SwitchRequest { selector: SkillSelector::Typed(args.skill.clone()), enabled, owner };
    let outcome = openoxide_app::switch::switch(&session.search(Depth::Quick), &request)?;
    report(ui, &session, &outcome, enabled)
}

fn report(ui: &Ui, session: &Session, outcome: &SwitchOutcome, enabled: bool) -> anyhow::Result<ExitStatus> {
    if let Some(folder) = &outcome.unpacked {
        say_unpacked(ui, &session.workspace, folder);
    }
    let (word, skill) = (if enabled { "on" } else { "off" }, safe(&outcome.skill));
    ui.say(&match outcome.changed {
        true => format!("{skill} is switched {word} in {}", paths::short(&session.workspace, &outcome.file)),
        false => format!("{skill} was switched {word} already"),
    });
    ui.json_if_asked(&change_answer(outcome, enabled))?;
    let Some(reason) = &outcome.ineffective_reason else { return Ok(ExitStatus::Done) };
    ui.warn(&format!("it is still {}: {}", if enabled { "off" } else { "on" }, safe(reason)));
    Ok(ExitStatus::No)
}
