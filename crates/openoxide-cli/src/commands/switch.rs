//! `enable` and `disable`: switches skills on and off in OpenOxide's own settings.

use openoxide_app::paths;
use openoxide_app::switch::change_answer;
use openoxide_app::{Depth, SettingsOwner, SkillSelector, SwitchOutcome, SwitchRequest};

use crate::args::Common;
use crate::exit::ExitStatus;
use crate::session::{Session, say_unpacked};
use crate::ui::{Ui, safe};

/// Switch a skill on
///
/// In OpenOxide's own catalog only: what other agents see stays as it is.
#[derive(Debug, clap::Args)]
pub(crate) struct EnableArgs {
    #[command(flatten)]
    skill: SkillArgs,
}

/// Switch a skill off
///
/// In OpenOxide's own catalog only: what other agents see stays as it is.
#[derive(Debug, clap::Args)]
pub(crate) struct DisableArgs {
    #[command(flatten)]
    skill: SkillArgs,
}

/// The skill, and whose settings are written.
#[derive(Debug, clap::Args)]
struct SkillArgs {
    /// A skill's name, or the path of its folder or file
    skill: String,
    /// Write to the project's settings instead of yours
    #[arg(long)]
    in_project: bool,
}

pub(crate) fn enable(ui: &Ui, common: &Common, args: &EnableArgs) -> anyhow::Result<ExitStatus> {
    switch(ui, common, &args.skill, true)
}

pub(crate) fn disable(ui: &Ui, common: &Common, args: &DisableArgs) -> anyhow::Result<ExitStatus> {
    switch(ui, common, &args.skill, false)
}

fn switch(ui: &Ui, common: &Common, args: &SkillArgs, enabled: bool) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    session.warn(ui);
    let owner = if args.in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let request = SwitchRequest { selector: SkillSelector::Typed(args.skill.clone()), enabled, owner };
    let outcome = openoxide_app::switch::switch(&session.search(Depth::Quick), &request)?;
    report(ui, common, &session, &outcome, enabled)
}

/// Says whether the skill is switched now.
fn report(
    ui: &Ui,
    common: &Common,
    session: &Session,
    outcome: &SwitchOutcome,
    enabled: bool,
) -> anyhow::Result<ExitStatus> {
    if let Some(folder) = &outcome.unpacked {
        say_unpacked(ui, &session.workspace, folder);
    }
    let (word, skill) = (if enabled { "on" } else { "off" }, safe(&outcome.skill));
    ui.say(&match outcome.changed {
        true => format!("{skill} is switched {word} in {}", paths::short(&session.workspace, &outcome.file)),
        false => format!("{skill} was switched {word} already"),
    });
    if common.json {
        ui.json(&change_answer(outcome, enabled))?;
    }
    let Some(reason) = &outcome.ineffective_reason else { return Ok(ExitStatus::Done) };
    ui.warn(&format!("it is still {}: {}", if enabled { "off" } else { "on" }, safe(reason)));
    Ok(ExitStatus::No)
}
