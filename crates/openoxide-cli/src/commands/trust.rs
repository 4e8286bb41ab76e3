//! `trust`: tells that a project's skills and settings are yours to follow, and gives skills permissions.

mod list;
mod skill;

use std::path::PathBuf;

use openoxide_app::trust::{revoke as revoke_trust, trust_folders};
use openoxide_app::{PermissionKind, Workspace, path_text, paths};
use openoxide_wire::ChangeAnswer;

use crate::ui::{ExitStatus, Ui, safe};
use crate::{asking::AskingArgs, error::CommandError, session::open_workspace, typed};

/// Trust a project, so that its skills and settings apply
///
/// Until you trust a project, its settings are ignored, and its skills cannot replace yours of the same name. Trust in a
/// project lets no skill run anything: --skill gives one skill permissions, for its files as they are now. What you trust
/// is kept in `state/trust.toml` in your own folder, and in the setting `trust.folders`.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// The project's folder [default: the project that you are in]; with --revoke, also a skill, an id from --list, or `all`
    #[arg(value_name = "DIR")]
    what: Vec<PathBuf>,
    /// Show everything that is trusted, where it is written, and how to revoke it
    #[arg(long, conflicts_with_all = ["what", "revoke", "skill"])]
    list: bool,
    /// Stop trusting it
    #[arg(long, conflicts_with = "skill")]
    revoke: bool,
    /// Give a skill the permissions it asks for, after showing them
    #[arg(long, value_name = "SKILL", conflicts_with = "what")]
    skill: Option<String>,
    /// Only this permission: shell, script, hook, profile, tools or mcp (can be repeated)
    #[arg(long, value_name = "PERMISSION", value_parser = permission, conflicts_with = "list")]
    permission: Vec<PermissionKind>,
    /// With --skill: give them without asking
    #[arg(long, short = 'y', conflicts_with = "no_input")]
    yes: bool,
    /// With --skill: ask nothing, and give nothing
    #[arg(long)]
    no_input: bool,
}

fn permission(word: &str) -> Result<PermissionKind, String> {
    let all = PermissionKind::ALL.map(PermissionKind::as_str).join(", ");
    PermissionKind::parse(word).ok_or_else(|| format!("there is no such permission; the permissions are {all}"))
}

pub(crate) fn trust(ui: &Ui, args: &TrustArgs) -> anyhow::Result<ExitStatus> {
    if let Some(wanted) = &args.skill {
        let asking = AskingArgs { yes: args.yes, no_input: args.no_input };
        return skill::grant(ui, wanted, &args.permission, &asking);
    }
    let workspace = open_workspace(ui)?;
    if args.list {
        return list::list(ui, &workspace);
    }
    if args.revoke {
        return revoke(ui, &workspace, args);
    }
    if !args.permission.is_empty() {
        let error = CommandError::failed("only skills have permissions, folders do not");
        return Err(error.hint("`openoxide trust --skill SKILL --permission PERMISSION` gives them to a skill").into());
    }
    let trusted = trust_folders(&workspace, &args.what, &mut |progress| ui.progress(progress))?;
    let undo = (!trusted.changes.is_empty()).then(|| undo(ui, &workspace, args, &trusted.folders));
    if let Some(undo) = &undo {
        ui.say_command("undo", undo);
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
    let revoked = revoke_trust(workspace, &args.what, &args.permission, &mut |progress| ui.progress(progress))?;
    ui.json_if_asked(&ChangeAnswer::new(revoked.changes, None))?;
    for folder in &revoked.still_trusted {
        let shown = paths::from_home(workspace, folder);
        ui.warn(&format!("{shown} is still trusted, by the administrator or by --config"));
    }
    Ok(if revoked.still_trusted.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}
