//! `enable` and `disable`: switches skills on and off in OpenOxide's own settings.

use std::path::PathBuf;

use openoxide_config::add_skill_rule;
use openoxide_skills::{Depth, Standing};
use openoxide_wire::{ChangeAnswer, ChangeLine};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::Session;
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
    refuse_foreign_host(&session)?;
    let catalog = session.catalog(Depth::Quick);
    let found = session.find(&catalog, &which.skill)?;
    let by_path = which.skill.contains('/') || which.skill.starts_with(['.', '~']);
    let (selector, wanted) = match by_path {
        true => ("path", found[0].skill.path.to_string_lossy().into_owned()),
        false => ("name", found[0].skill.name.to_string()),
    };
    let file = settings_file(&session, which.in_project)?;
    let changed = add_skill_rule(&file, selector, &wanted, enabled)?;
    crate::session::unpack(ui, &session.workspace)?;
    report(ui, common, &session, &wanted, enabled, changed.then_some(&file))
}

/// Only settings of our own are written; the programs' files are theirs.
fn refuse_foreign_host(session: &Session) -> Result<(), Told> {
    let host = &session.view.host;
    let rule = host.filter.rules.as_ref().and_then(|name| host.settings.get(name));
    if rule.is_some_and(|rule| rule.from.iter().any(|source| source.config.is_some())) {
        return Ok(());
    }
    let message = format!("the settings of {} are its own, and are never written here", host.title);
    Err(Told::failed(message).hint("leave out --host, or change the program's own settings"))
}

fn settings_file(session: &Session, in_project: bool) -> Result<PathBuf, Told> {
    if in_project {
        return Ok(session.workspace.project.join(".openoxide/config.toml"));
    }
    let home = session.workspace.environment.openoxide_home();
    home.map(|home| home.join("config.toml"))
        .ok_or_else(|| Told::failed("there is no home folder").hint("set HOME or OPENOXIDE_HOME"))
}

/// Says what is so now, by looking again.
fn report(
    ui: &Ui,
    common: &Common,
    before: &Session,
    wanted: &str,
    enabled: bool,
    file: Option<&PathBuf>,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    let catalog = session.catalog(Depth::Quick);
    let found = session.find(&catalog, wanted)?;
    let off = |standing| standing == Standing::Disabled;
    let as_wanted = found.iter().all(|entry| off(entry.standing) != enabled);
    let word = if enabled { "on" } else { "off" };
    match file {
        Some(file) => {
            ui.say(&format!("{} is switched {word} in {}", safe(wanted), paths::short(&before.workspace, file)));
        }
        None => ui.say(&format!("{} was switched {word} already", safe(wanted))),
    }
    if common.json {
        let action = if enabled { "enable" } else { "disable" };
        let changes = file.map(|file| ChangeLine::new(action, file, Some(wanted.to_owned())));
        ui.json(&ChangeAnswer::new(changes.into_iter().collect(), None))?;
    }
    if as_wanted {
        return Ok(ExitStatus::Done);
    }
    let other = found.iter().find(|entry| off(entry.standing) == enabled);
    let why = other.and_then(|entry| entry.reason.as_ref()).map_or_else(
        || "the project's settings count only once the project is trusted".to_owned(),
        |reason| reason.text.clone(),
    );
    ui.warn(&format!("it is still {}: {}", if enabled { "off" } else { "on" }, safe(&why)));
    Ok(ExitStatus::No)
}
