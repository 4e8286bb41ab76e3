//! `trust`: tells that a project's skills and settings are yours to follow, and gives skills permissions.

mod list;
mod skill;

use std::path::PathBuf;

use openoxide_app::trust::{revoke as revoke_trust, trust_folders};
use openoxide_app::{PermissionKind, Workspace, path_text, paths};
use openoxide_wire::ChangeAnswer;

use crate::ui::{ExitStatus, Ui, safe};
use crate::{asking::AskingArgs, error::CommandError, session::open_workspace, typed};

/// Trust a project, so that its skills and settings count
///
/// A project that is not trusted cannot replace a skill of yours by one of the same name, and its settings do not count.
/// Whatever a skill wants to run or to be allowed needs more: --skill gives one skill power, for its files as they are
/// now. What you trust is kept in `state/trust.toml` in your own folder; `trust.folders` in your settings counts too.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// The project's folder [default: the project that you are in]; to revoke also a skill, an id of --list, or `all`
    #[arg(value_name = "DIR")]
    what: Vec<PathBuf>,
    /// Show everything that is trusted, where it is written, and how to revoke it
    #[arg(long, conflicts_with_all = ["what", "revoke", "skill"])]
    list: bool,
    /// Do not trust it any more
    #[arg(long, conflicts_with = "skill")]
    revoke: bool,
    /// Give a skill power, after showing everything that it would get
    #[arg(long, value_name = "SKILL", conflicts_with = "what")]
    skill: Option<String>,
    /// Only this power: shell, script, hook, profile, tools or mcp (can be repeated)
    #[arg(long, value_name = "POWER", value_parser = power, conflicts_with = "list")]
    power: Vec<PermissionKind>,
    #[command(flatten)]
    asking: AskingArgs,
}

fn power(word: &str) -> Result<PermissionKind, String> {
    let all = PermissionKind::ALL.map(PermissionKind::as_str).join(", ");
    PermissionKind::parse(word).ok_or_else(|| format!("there is no such power; there are {all}"))
}

pub(crate) fn trust(ui: &Ui, args: &TrustArgs) -> anyhow::Result<ExitStatus> {
    if let Some(wanted) = &args.skill {
        return skill::grant(ui, wanted, &args.power, &args.asking);
    }
    let workspace = open_workspace(ui)?;
    if args.list {
        return list::list(ui, &workspace);
    }
    if args.revoke {
        return revoke(ui, &workspace, args);
    }
    if !args.power.is_empty() {
        let error = CommandError::failed("a folder has no powers, only skills do");
        return Err(error.hint("openoxide trust --skill SKILL --power POWER").into());
    }
    let trusted = trust_folders(&workspace, &args.what, &mut |progress| ui.progress(progress))?;
    let undo = (!trusted.changes.is_empty()).then(|| undo(ui, &workspace, args, &trusted.folders));
    if let Some(undo) = &undo {
        ui.say(&format!("undo: {undo}"));
    }
    ui.json_if_asked(&ChangeAnswer::new(trusted.changes, undo))?;
    match trusted.still_untrusted {
        None => Ok(ExitStatus::Done),
        Some(folder) => Err(CommandError::failed(format!("{} is still not trusted", safe(&path_text(&folder)))).into()),
    }
}

fn undo(ui: &Ui, workspace: &Workspace, args: &TrustArgs, folders: &[PathBuf]) -> String {
    let given = folders.iter().filter(|_| !args.what.is_empty()).filter_map(|folder| typed::path(workspace, folder));
    let given = given.collect::<Vec<_>>().join(" ");
    let given = Some(given).filter(|given| !given.is_empty());
    typed::command(&typed::for_all(&ui.common), "trust", given.as_deref(), "--revoke")
}

fn revoke(ui: &Ui, workspace: &Workspace, args: &TrustArgs) -> anyhow::Result<ExitStatus> {
    let revoked = revoke_trust(workspace, &args.what, &args.power, &mut |progress| ui.progress(progress))?;
    ui.json_if_asked(&ChangeAnswer::new(revoked.changes, None))?;
    for folder in &revoked.still_trusted {
        let shown = paths::from_home(workspace, folder);
        ui.warn(&format!("{shown} is still trusted, by the administrator or by --config"));
    }
    Ok(if revoked.still_trusted.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}
