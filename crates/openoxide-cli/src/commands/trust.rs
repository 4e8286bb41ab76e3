//! `trust`: tells that a project's skills and settings are yours to follow.

use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, set_value};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::open_workspace;
use crate::ui::Ui;

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
    let file = workspace.environment.openoxide_home().map(|home| home.join("config.toml"));
    let file = file.ok_or_else(|| Told::failed("there is no home folder").hint("set HOME or OPENOXIDE_HOME"))?;
    let mut folders = workspace.config.trusted();
    if args.list {
        let lines: Vec<String> = folders.iter().map(|(written, _)| crate::ui::safe(written) + "\n").collect();
        ui.data(&lines.concat())?;
        return Ok(ExitStatus::Done);
    }
    let folder = folder(&workspace, args.folder.as_deref())?;
    let shown = crate::ui::safe(&paths::homely(&workspace, &folder.to_string_lossy()));
    match (args.revoke, folders.iter().any(|(_, listed)| *listed == folder)) {
        (false, true) => ui.say(&format!("{shown} is trusted already")),
        (true, false) => ui.say(&format!("{shown} is not trusted")),
        (false, false) => {
            folders.push((folder.to_string_lossy().into_owned(), folder));
            write(&file, &folders)?;
            ui.say(&format!("{shown} is trusted now; undo: openoxide trust --revoke"));
        }
        (true, true) => {
            folders.retain(|(_, listed)| *listed != folder);
            write(&file, &folders)?;
            ui.say(&format!("{shown} is not trusted any more"));
        }
    }
    Ok(ExitStatus::Done)
}

/// Returns the folder that is meant, without links.
fn folder(workspace: &Workspace, given: Option<&Path>) -> Result<PathBuf, Told> {
    let path = given.map_or_else(|| workspace.project.clone(), |given| workspace.environment.cwd.join(given));
    let missing = || Told::failed(format!("`{}` is not a folder", path.display())).hint("name the project's folder");
    std::fs::canonicalize(&path).ok().filter(|path| path.is_dir()).ok_or_else(missing)
}

fn write(file: &Path, folders: &[(String, PathBuf)]) -> anyhow::Result<()> {
    let list: toml_edit::Array = folders.iter().map(|(written, _)| written.as_str()).collect();
    set_value(file, "trust.folders", list.into())?;
    Ok(())
}
