//! `enable` and `disable`: switches skills on and off in OpenOxide's own settings.

use openoxide_config::SkillSelector::Typed;
use openoxide_config::{SettingsOwner, SwitchError, SwitchOutcome, SwitchRequest};
use openoxide_runtime::change_answer;
use openoxide_skills::{Catalog, Depth};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::{Session, say_unpacked, unknown};
use crate::ui::{Ui, safe};

/// Switch a skill on
///
/// In OpenOxide's own catalog only: what other agents see stays as it is.
#[derive(Debug, clap::Args)]
pub(crate) struct EnableArgs {
    #[command(flatten)]
    which: Which,
}

/// Switch a skill off
///
/// In OpenOxide's own catalog only: what other agents see stays as it is.
#[derive(Debug, clap::Args)]
pub(crate) struct DisableArgs {
    #[command(flatten)]
    which: Which,
}

/// Which skill, and in whose settings.
#[derive(Debug, clap::Args)]
struct Which {
    /// A skill's name, or the path of its folder or file
    skill: String,
    /// Write to the project's settings instead of yours
    #[arg(long)]
    in_project: bool,
}

pub(crate) fn enable(ui: &Ui, common: &Common, args: &EnableArgs) -> anyhow::Result<ExitStatus> {
    switch(ui, common, &args.which, true)
}

pub(crate) fn disable(ui: &Ui, common: &Common, args: &DisableArgs) -> anyhow::Result<ExitStatus> {
    switch(ui, common, &args.which, false)
}

fn switch(ui: &Ui, common: &Common, which: &Which, enabled: bool) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    session.warn(ui);
    let catalog = session.catalog(Depth::Quick);
    let owner = if which.in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let order = SwitchRequest { selector: Typed(which.skill.clone()), enabled, owner };
    let switched = session.workspace.switch(&session.view, &catalog, &order);
    let switched = switched.map_err(|error| told(&session, &catalog, error))?;
    report(ui, common, &session, &switched, enabled)
}

/// Says why nothing was switched, and the next step.
fn told(session: &Session, catalog: &Catalog, error: SwitchError) -> anyhow::Error {
    match error {
        SwitchError::Unknown { wanted, .. } => unknown(session, catalog, &wanted).into(),
        SwitchError::Foreign { .. } => {
            Told::failed(error.to_string()).hint("leave out --host, or change the program's own settings").into()
        }
        SwitchError::NoHome => Told::failed(error.to_string()).hint(error.hint().unwrap_or_default()).into(),
        SwitchError::Edit(error) => error.into(),
        SwitchError::Unpack(error) => error.into(),
        SwitchError::Workspace(error) => error.into(),
    }
}

/// Says what is so now.
fn report(
    ui: &Ui,
    common: &Common,
    session: &Session,
    switched: &SwitchOutcome,
    enabled: bool,
) -> anyhow::Result<ExitStatus> {
    if let Some(folder) = &switched.unpacked {
        say_unpacked(ui, &session.workspace, folder);
    }
    let (word, skill) = (if enabled { "on" } else { "off" }, safe(&switched.skill));
    ui.say(&match switched.changed {
        true => format!("{skill} is switched {word} in {}", paths::short(&session.workspace, &switched.file)),
        false => format!("{skill} was switched {word} already"),
    });
    if common.json {
        ui.json(&change_answer(switched, enabled))?;
    }
    let Some(why) = &switched.ineffective_reason else { return Ok(ExitStatus::Done) };
    ui.warn(&format!("it is still {}: {}", if enabled { "off" } else { "on" }, safe(why)));
    Ok(ExitStatus::No)
}
