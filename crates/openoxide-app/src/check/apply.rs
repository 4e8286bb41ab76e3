//! Makes the changes of a plan, beneath the paths that were given and through no link.

use std::ffi::OsStr;
use std::path::Path;

use openoxide_config::Workspace;
use openoxide_skills::judge::CHECKED_MAX;
use openoxide_skills::text::TerminalText;

use super::plan::{FileEdit, Plan, Rename};
use super::scope::{Scope, not_fixed};
use crate::{Error, ErrorKind, Progress, Report, paths};

/// Makes the changes, and reports each as it is made: an error later does not undo it. Returns how many findings are gone.
pub(super) fn apply(workspace: &Workspace, scope: &Scope, plan: &Plan, report: Report<'_>) -> Result<usize, Error> {
    for edit in &plan.edits {
        write(workspace, scope, edit)?;
        for (old, new, code) in &edit.parts {
            let path = paths::short(workspace, &edit.path);
            report(Progress::Replaced { path, old: old.clone(), new: new.clone(), code: *code });
        }
    }
    for rename in &plan.renames {
        make_rename(workspace, scope, rename)?;
        let (from, to) = (paths::short(workspace, &rename.from), TerminalText(&rename.to));
        report(Progress::Done(format!("renamed {from} to {to}")));
    }
    for link in &plan.relinks {
        report(match link.make() {
            Ok(()) => Progress::Done(format!("linked {}", link.describe(workspace))),
            Err(error) => Progress::Warning(format!("cannot link {}: {error}", link.describe(workspace))),
        });
    }
    Ok(plan.fixes())
}

fn write(workspace: &Workspace, scope: &Scope, edit: &FileEdit) -> Result<(), Error> {
    let (folder, name) = parts(&edit.path);
    let dir = scope.open(workspace, folder)?;
    let now = dir.read(name, CHECKED_MAX).map_err(|error| not_fixed(workspace, &edit.path, &error))?;
    if now != edit.before {
        let message = format!("{} was changed meanwhile, and is left as it is", paths::short(workspace, &edit.path));
        return Err(Error::other(ErrorKind::Conflict, "changed", message).with_help("try again"));
    }
    dir.replace(name, &edit.after).map_err(|error| not_fixed(workspace, &edit.path, &error))
}

fn make_rename(workspace: &Workspace, scope: &Scope, rename: &Rename) -> Result<(), Error> {
    let (folder, name) = parts(&rename.from);
    let renamed = scope.open(workspace, folder)?.rename(name, OsStr::new(&rename.to));
    renamed.map_err(|error| not_fixed(workspace, &rename.from, &error))
}

fn parts(path: &Path) -> (&Path, &OsStr) {
    (path.parent().unwrap_or(Path::new("/")), path.file_name().unwrap_or_default())
}
