//! `trust`: tells that a project's skills and settings are yours to follow.

use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, add_to_list, find_project, remove_from_list};
use openoxide_skills::{ProjectRules, path_text};
use openoxide_wire::{ChangeAnswer, ChangeLine};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::open_workspace;
use crate::typed;
use crate::ui::{Ui, safe};

/// Trust a project, so that its skills and settings count
///
/// Writes the folder to `trust.folders` in your own settings. A project that is not trusted cannot replace a skill of
/// yours by one of the same name, and its settings do not count.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// The project's folder [default: the project that you are in]
    folder: Option<PathBuf>,
    /// Show the folders that are trusted
    #[arg(long, conflicts_with_all = ["folder", "revoke"])]
    list: bool,
    /// Do not trust the folder any more
    #[arg(long)]
    revoke: bool,
}

pub(crate) fn trust(ui: &Ui, common: &Common, args: &TrustArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui, common)?;
    if args.list {
        return list(ui, common, &workspace);
    }
    let file = workspace.environment.openoxide_home().map(|home| home.join("config.toml"));
    let file = file.ok_or_else(|| Told::failed("there is no home folder").hint("set HOME or OPENOXIDE_HOME"))?;
    let folder = folder(&workspace, args)?;
    if !args.revoke && holds_home(&workspace, &folder) {
        return Err(refused(&workspace, &folder).into());
    }
    let shown = safe(&paths::homely(&workspace, &path_text(&folder)));
    let listed = workspace.config.trusted().iter().any(|(_, listed)| *listed == folder);
    let mut answer = ChangeAnswer::new(Vec::new(), None);
    let change = |action: &str| vec![ChangeLine::new(action, &file, Some(path_text(&folder)))];
    match (args.revoke, listed) {
        (false, true) => ui.say(&format!("{shown} is trusted already")),
        (true, false) => ui.say(&format!("{shown} is not trusted in {}", paths::short(&workspace, &file))),
        (false, false) => {
            let text = folder.to_str().ok_or_else(|| {
                let told = Told::failed(format!("`{shown}` cannot be named in settings, because it is not UTF-8"));
                told.hint("rename the folder")
            })?;
            add_to_list(&file, FOLDERS, text)?;
            ui.say(&format!("{shown} is trusted now"));
            let undo = undo(&workspace, common, args, &folder);
            ui.say(&format!("undo: {undo}"));
            answer = ChangeAnswer::new(change("trust"), Some(undo));
        }
        (true, true) => {
            let written = workspace.config.trusted();
            let is_it = |text: &str| written.iter().any(|(as_written, listed)| as_written == text && *listed == folder);
            remove_from_list(&file, FOLDERS, is_it)?;
            ui.say(&format!("{shown} is not trusted any more"));
            answer.changes = change("revoke");
        }
    }
    if common.json {
        ui.json(&answer)?;
    }
    look_again(ui, common, args, &folder, &shown)
}

/// The setting that is written.
const FOLDERS: &str = "trust.folders";

fn list(ui: &Ui, common: &Common, workspace: &Workspace) -> anyhow::Result<ExitStatus> {
    if common.json {
        return super::config::get(ui, common, workspace, Some(FOLDERS));
    }
    let folders = workspace.config.trusted();
    if folders.is_empty() {
        let trust = typed::command(&typed::for_all(common), "trust", None, "");
        ui.say(&format!("no folder is trusted; `{trust}` trusts the project that you are in"));
    }
    let folders = folders.into_iter();
    ui.data(&folders.map(|(written, _)| safe(&written) + "\n").collect::<String>())?;
    Ok(ExitStatus::Done)
}

/// Returns the project that is meant, without links: only a project's root can be trusted.
fn folder(workspace: &Workspace, args: &TrustArgs) -> Result<PathBuf, Told> {
    let environment = &workspace.environment;
    let path = args.folder.as_ref().map_or_else(|| workspace.project.clone(), |given| environment.cwd.join(given));
    match std::fs::canonicalize(&path).ok().filter(|path| path.is_dir()) {
        Some(real) => Ok(find_project(&real, environment.home.as_deref(), &ProjectRules::default())),
        // What is gone can still be taken off the list.
        None if args.revoke => Ok(path),
        None => {
            Err(Told::failed(format!("`{}` is not a folder", safe(&path_text(&path))))
                .hint("name the project's folder"))
        }
    }
}

/// Tells whether a folder is the home, or one that holds it: everything would be trusted that is ever put there.
pub(crate) fn holds_home(workspace: &Workspace, folder: &Path) -> bool {
    let home = workspace.environment.home.as_ref();
    let home = home.map(|home| std::fs::canonicalize(home).unwrap_or_else(|_| home.clone()));
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
}

fn refused(workspace: &Workspace, folder: &Path) -> Told {
    let home = workspace.environment.home.as_ref().and_then(|home| std::fs::canonicalize(home).ok());
    let shown = safe(&path_text(folder));
    let what = match (folder.parent(), home) {
        (None, _) => "the root of the file system",
        (_, Some(home)) if home == folder => "your home folder",
        _ => "a folder around your home folder",
    };
    let told = Told::failed(format!("`{shown}` is {what}, not a project, and is not trusted as a whole"));
    told.hint("name the folder of one project: openoxide trust DIR")
}

fn undo(workspace: &Workspace, common: &Common, args: &TrustArgs, folder: &Path) -> String {
    let given = args.folder.as_ref().and_then(|_| typed::path(workspace, folder));
    typed::command(&typed::for_all(common), "trust", given.as_deref(), "--revoke")
}

/// Says so if the project is trusted by somebody else, or still is not.
fn look_again(ui: &Ui, common: &Common, args: &TrustArgs, folder: &Path, shown: &str) -> anyhow::Result<ExitStatus> {
    let config = open_workspace(ui, common)?.config;
    match (args.revoke, config.trusts(folder)) {
        (false, true) | (true, false) => Ok(ExitStatus::Done),
        (true, true) => {
            ui.warn(&format!("{shown} is still trusted, by the administrator or by --config"));
            Ok(ExitStatus::No)
        }
        (false, false) => Err(Told::failed(format!("{shown} is still not trusted")).into()),
    }
}
