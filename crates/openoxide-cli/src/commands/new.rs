//! `new`: the files of a new skill.

use std::path::PathBuf;

use openoxide_app::new::{NewInput, NewPlace};
use openoxide_app::paths;

use crate::session::open_workspace;
use crate::ui::{ExitStatus, Ui};

/// Make the files of a new skill
#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// The skill's name: lower-case letters, digits and hyphens
    name: String,
    /// What it does and when to use it
    #[arg(long, short)]
    description: Option<String>,
    /// Make it yours instead of the project's (`~/.agents/skills`)
    #[arg(long, conflicts_with = "dir")]
    user: bool,
    /// Make it in this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn new(ui: &Ui, args: &NewArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    let place = match (&args.dir, args.user) {
        (Some(dir), _) => NewPlace::Folder(dir.clone()),
        (None, true) => NewPlace::User,
        (None, false) => NewPlace::Project,
    };
    let input = NewInput { name: args.name.clone(), description: args.description.clone(), place };
    let made = openoxide_app::new::new(&workspace, &input)?;
    match ui.common.json {
        true => ui.json(&made.answer).map(drop)?,
        false => ui.data(&format!("{}\n", paths::short(&workspace, &made.file)))?,
    }
    ui.hint(&format!("edit it, then: openoxide check {}", paths::short(&workspace, &made.folder)));
    Ok(ExitStatus::Done)
}
