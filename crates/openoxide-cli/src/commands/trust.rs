//! `trust`: tells that a project's skills and settings are yours to follow, and gives skills power.

mod list;
mod look;
mod revoke;
mod skill;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use openoxide_config::{PermissionKind, Timestamp, Trust, Workspace, find_project};
use openoxide_skills::host::ProjectRules;
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine};

use crate::ExitStatus;
use crate::args::Common;
use crate::asking::AskingArgs;
use crate::error::Told;
use crate::paths;
use crate::session::open_workspace;
use crate::typed;
use crate::ui::{Ui, safe};

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

pub(crate) fn trust(ui: &Ui, common: &Common, args: &TrustArgs) -> anyhow::Result<ExitStatus> {
    if let Some(wanted) = &args.skill {
        return skill::grant(ui, common, args, wanted);
    }
    let workspace = open_workspace(ui, common)?;
    if args.list {
        return list::list(ui, common, &workspace);
    }
    if args.revoke {
        return revoke::revoke(ui, common, &workspace, args);
    }
    if !args.power.is_empty() {
        let told = Told::failed("a folder has no powers, only skills do");
        return Err(told.hint("openoxide trust --skill SKILL --power POWER").into());
    }
    let folders = match args.what.as_slice() {
        [] => vec![project(&workspace, None)?],
        given => given.iter().map(|given| project(&workspace, Some(given))).collect::<Result<_, _>>()?,
    };
    if let Some(folder) = folders.iter().find(|folder| holds_home(&workspace, folder)) {
        return Err(refused(&workspace, folder).into());
    }
    add(ui, common, &workspace, args, &folders)
}

/// Returns what is trusted, and the file that it is written in.
fn store(workspace: &Workspace) -> Result<(Trust, PathBuf), Told> {
    let trust = Trust::open(&workspace.environment);
    let path = trust.path().map(Path::to_owned);
    let path = path.ok_or_else(|| Told::failed("there is no home folder").hint("set HOME or OPENOXIDE_HOME"))?;
    Ok((trust, path))
}

fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}

fn add(
    ui: &Ui,
    common: &Common,
    workspace: &Workspace,
    args: &TrustArgs,
    folders: &[PathBuf],
) -> anyhow::Result<ExitStatus> {
    let (mut trust, file) = store(workspace)?;
    let mut changes = Vec::new();
    for folder in folders {
        let shown = safe(&paths::abbreviate_home(workspace, &path_text(folder)));
        if workspace.config.trusts(folder) {
            ui.say(&format!("{shown} is trusted already"));
        } else if trust.add_folder(folder, now())? {
            ui.say(&format!("{shown} is trusted now"));
            changes.push(ChangeLine::new("trust", &file, Some(path_text(folder))));
        }
    }
    let undo = (!changes.is_empty()).then(|| undo(workspace, common, args, folders));
    if let Some(undo) = &undo {
        ui.say(&format!("undo: {undo}"));
    }
    if common.json {
        ui.json(&ChangeAnswer::new(changes, undo))?;
    }
    let config = open_workspace(ui, common)?.config;
    match folders.iter().find(|folder| !config.trusts(folder)) {
        None => Ok(ExitStatus::Done),
        Some(folder) => Err(Told::failed(format!("{} is still not trusted", safe(&path_text(folder)))).into()),
    }
}

/// Returns the project that is meant, without links: only a project's root can be trusted.
fn project(workspace: &Workspace, given: Option<&Path>) -> Result<PathBuf, Told> {
    let environment = &workspace.environment;
    let path = given.map_or_else(|| workspace.project.clone(), |given| environment.cwd.join(given));
    match std::fs::canonicalize(&path).ok().filter(|path| path.is_dir()) {
        Some(real) => Ok(find_project(&real, environment.home.as_deref(), &ProjectRules::default())),
        None => {
            Err(Told::failed(format!("`{}` is not a folder", safe(&path_text(&path))))
                .hint("name the project's folder"))
        }
    }
}

/// Tells whether a folder holds the home, or what is trusted: everything would be trusted that is ever put there.
pub(crate) fn holds_home(workspace: &Workspace, folder: &Path) -> bool {
    let environment = &workspace.environment;
    let homes = environment.home.clone().into_iter().chain(environment.openoxide_home());
    folder.parent().is_none() || homes.into_iter().any(|home| real(&home).starts_with(folder))
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn refused(workspace: &Workspace, folder: &Path) -> Told {
    let home = workspace.environment.home.as_deref().map(real);
    let shown = safe(&path_text(folder));
    let what = match (folder.parent(), home) {
        (None, _) => "the root of the file system",
        (_, Some(home)) if home == folder => "your home folder",
        (_, Some(home)) if home.starts_with(folder) => "a folder around your home folder",
        _ => "a folder around your own settings",
    };
    let told = Told::failed(format!("`{shown}` is {what}, not a project, and is not trusted as a whole"));
    told.hint("name the folder of one project: openoxide trust DIR")
}

fn undo(workspace: &Workspace, common: &Common, args: &TrustArgs, folders: &[PathBuf]) -> String {
    let given = folders.iter().filter(|_| !args.what.is_empty()).filter_map(|folder| typed::path(workspace, folder));
    let given = given.collect::<Vec<_>>().join(" ");
    let given = Some(given).filter(|given| !given.is_empty());
    typed::command(&typed::for_all(common), "trust", given.as_deref(), "--revoke")
}
