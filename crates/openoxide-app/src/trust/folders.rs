//! Trusts the folders of projects.

use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, find_repository, is_repository};
use openoxide_skills::ownership::{ForeignWriter, check_place};
use openoxide_skills::text::path_text;
use openoxide_wire::ChangeLine;

use super::store::{now, open_store};
use crate::paths::{from_home, real, shown};
use crate::{Error, ErrorKind, Progress, Report};

/// What people should know who trust a folder that is no repository: an archive that is unpacked there is trusted too.
const WITHOUT_VERSION_CONTROL: &str = "it has no version control, so every folder below it is trusted with it, also one that is put there later, \
     except repositories";

/// What came of trusting folders.
#[derive(Clone, Debug)]
pub struct FoldersTrusted {
    /// The folders of the projects, without links.
    pub folders: Vec<PathBuf>,
    /// What was written.
    pub changes: Vec<ChangeLine>,
    /// A folder that is still not trusted, seen by looking again.
    pub still_untrusted: Option<PathBuf>,
}

/// Trusts the projects that some folders lie in, and reports each; without a folder, the project to act in.
pub fn trust_folders(workspace: &Workspace, given: &[PathBuf], report: Report<'_>) -> Result<FoldersTrusted, Error> {
    let folders = match given {
        [] => vec![project_of(workspace, None)?],
        given => given.iter().map(|given| project_of(workspace, Some(given))).collect::<Result<_, _>>()?,
    };
    if let Some(folder) = folders.iter().find(|folder| holds_home(workspace, folder)) {
        return Err(too_wide(workspace, folder));
    }
    folders.iter().try_for_each(|folder| check_place(folder).map_err(|why| foreign(&why)))?;
    let (mut trust, file) = open_store(workspace)?;
    let mut changes = Vec::new();
    for folder in &folders {
        let shown = from_home(workspace, folder);
        if workspace.config.trusts(folder) {
            report(Progress::Done(format!("{shown} is trusted already")));
        } else if trust.add_folder(folder, now())? {
            report(Progress::Done(format!("{shown} is trusted now")));
            if !is_repository(folder) {
                report(Progress::Done(WITHOUT_VERSION_CONTROL.to_owned()));
            }
            changes.push(ChangeLine::new("trust", &file, Some(path_text(folder))));
        }
    }
    let config = workspace.reopen()?.config;
    let still_untrusted = folders.iter().find(|folder| !config.trusts(folder)).cloned();
    Ok(FoldersTrusted { folders, changes, still_untrusted })
}

/// Returns the project that is meant, without links: only a project's root can be trusted.
fn project_of(workspace: &Workspace, given: Option<&Path>) -> Result<PathBuf, Error> {
    let environment = &workspace.environment;
    let path = given.map_or_else(|| workspace.project.clone(), |given| environment.cwd.join(given));
    let real = std::fs::canonicalize(&path).ok().filter(|path| path.is_dir()).ok_or_else(|| {
        let message = format!("`{}` is not a folder", shown(&path));
        Error::other(ErrorKind::NotFound, "no-folder", message).with_help("name the project's folder")
    })?;
    Ok(find_repository(&real, environment.home.as_deref()))
}

/// Returns whether a folder holds the user's home or OpenOxide's own folder: to trust it would be to trust everything that
/// is ever put there.
pub fn holds_home(workspace: &Workspace, folder: &Path) -> bool {
    let environment = &workspace.environment;
    let homes = environment.home.clone().into_iter().chain(environment.openoxide_home());
    folder.parent().is_none() || homes.into_iter().any(|home| real(&home).starts_with(folder))
}

/// Trust would have no effect there: what is found at the path later may be another user's.
fn foreign(why: &ForeignWriter) -> Error {
    Error::other(ErrorKind::Forbidden, "foreign-folder", format!("not trusted: {}", why.message))
        .with_help(format!("{}; or move the project to a folder of your own", why.help))
}

fn too_wide(workspace: &Workspace, folder: &Path) -> Error {
    let home = workspace.environment.home.as_deref().map(real);
    let what = match (folder.parent(), home) {
        (None, _) => "the root of the file system",
        (_, Some(home)) if home == folder => "your home folder",
        (_, Some(home)) if home.starts_with(folder) => "a folder around your home folder",
        _ => "a folder around your own settings",
    };
    let message = format!("`{}` is {what}, not a project, and is not trusted as a whole", shown(folder));
    Error::other(ErrorKind::Forbidden, "not-a-project", message)
        .with_help("name the folder of one project: `openoxide trust DIR`")
}
