//! Tells whether the program of a server lies in a project, where the project's authors decide what it does.

use std::path::{Path, PathBuf};

use openoxide_config::{Environment, TrustRecord};
use openoxide_skills::text::path_text;

use crate::Runtime;

/// Returns why a program is not started from the user's settings; nothing if it lies in no project.
pub(super) fn reason_in_project(runtime: &Runtime, program: &str) -> Option<String> {
    let path = Path::new(program);
    if path.is_absolute() {
        return projects(runtime).iter().find(|project| is_inside(path, project)).map(|project| inside(path, project));
    }
    if program.contains('/') {
        return Some(format!("its program `{program}` has a relative path, and would be another one in each project"));
    }
    named(runtime, program)
}

/// Finds the program of a name as it is found when it is started: in the first folder of `PATH` that has it.
fn named(runtime: &Runtime, name: &str) -> Option<String> {
    let environment = &runtime.environment;
    let projects = projects(runtime);
    for folder in environment.variable("PATH").unwrap_or_default().split(':') {
        let found = environment.cwd.join(folder).join(name);
        if !found.is_file() {
            continue;
        }
        if !Path::new(folder).is_absolute() {
            return Some(format!("`PATH` leads to its program by a relative folder: `{folder}`"));
        }
        return projects.iter().find(|project| is_inside(&found, project)).map(|project| inside(&found, project));
    }
    None
}

fn inside(program: &Path, project: &Path) -> String {
    format!("its program `{}` lies in the project `{}`", path_text(program), path_text(project))
}

/// Returns the folders of this project and of all that are trusted. Home is none, although someone may work there.
fn projects(runtime: &Runtime) -> Vec<PathBuf> {
    let around = &runtime.view().around;
    let mut folders = vec![around.project.clone(), around.cwd.clone()];
    folders.extend(runtime.with_trust(|trust| {
        let folders = trust.entries().iter().filter_map(|entry| match &entry.record {
            TrustRecord::Folder { path, .. } => Some(path.clone()),
            _ => None,
        });
        folders.collect::<Vec<_>>()
    }));
    folders.retain(|folder| !holds_home(&runtime.environment, folder));
    folders
}

fn holds_home(environment: &Environment, folder: &Path) -> bool {
    environment.home.as_deref().is_some_and(|home| home.starts_with(folder))
}

/// Tells whether a path is below a folder, as it is written or with its links resolved.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = real(folder);
    let plain: PathBuf = path.components().collect();
    real(path).starts_with(&folder) || plain.starts_with(&folder) || real_parent(&plain).starts_with(&folder)
}

/// Resolves the folders of a path, but not its last part: a link in a project is the project's.
fn real_parent(path: &Path) -> PathBuf {
    match (path.parent().and_then(|folder| std::fs::canonicalize(folder).ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
