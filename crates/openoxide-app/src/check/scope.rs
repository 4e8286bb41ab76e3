//! What may be changed: files below the paths that were given, and none of another repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, WriteDir};
use rustix::io::Errno;

use super::targets::Targets;
use crate::given_path::{self, repository};
use crate::{Error, ErrorKind, Progress, Report, paths};

/// The folders that may be changed.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The folders that were given, links resolved, each with the root of the repository that it is in.
    bases: Vec<(PathBuf, Option<PathBuf>)>,
    /// Folders of which only the skill's file was given.
    named_by_file: Vec<PathBuf>,
}

impl Scope {
    /// Without a path, only the project is changed: what lies elsewhere is used by other projects too.
    pub(super) fn new(workspace: &Workspace, targets: &Targets) -> Scope {
        let is_named = !targets.bases.is_empty();
        let bases = if is_named { targets.bases.clone() } else { vec![paths::real(&workspace.project)] };
        let bases = bases.into_iter().map(|base| (base.clone(), repository(&base))).collect();
        Scope { bases, named_by_file: targets.named_by_file.clone() }
    }

    /// Refuses paths that lead elsewhere by a link, or lead elsewhere now than when they were searched.
    pub(super) fn judge(&self, workspace: &Workspace, given: &[PathBuf]) -> Result<(), Error> {
        for path in given {
            let real = given_path::resolve(workspace, &workspace.environment.cwd.join(path))?;
            if !self.bases.iter().any(|(base, _)| *base == real || real.parent() == Some(base)) {
                return Err(not_fixed(workspace, path, &Errno::LOOP.into()));
            }
        }
        Ok(())
    }

    /// Says why skills below the paths are left as they are.
    pub(super) fn report_left<'f>(
        &self,
        workspace: &Workspace,
        left: impl Iterator<Item = &'f PathBuf>,
        report: Report<'_>,
    ) {
        let mut repositories: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for folder in left {
            let is_below = self.bases.iter().any(|(base, _)| folder.starts_with(base));
            if let Some(repository) = repository(folder).filter(|_| is_below) {
                *repositories.entry(repository).or_default() += 1;
            } else {
                let folder = paths::short(workspace, folder);
                let text = format!("{folder} is reached through a link and is not fixed; name it to fix it");
                report(Progress::Warning(text));
            }
        }
        for (repository, count) in repositories {
            let (folder, skills) = (paths::short(workspace, &repository), crate::count(count, "skill"));
            let verb = if count == 1 { "is" } else { "are" };
            let text =
                format!("{folder} is another git repository: {skills} in it {verb} not fixed; name it to fix it");
            report(Progress::Warning(text));
        }
    }

    /// Tells whether what is in a folder may be changed.
    pub(super) fn has(&self, folder: &Path) -> bool {
        self.base_of(folder).is_some()
    }

    fn base_of(&self, folder: &Path) -> Option<&Path> {
        let mut bases = self.bases.iter().filter(|(base, _)| folder.starts_with(base));
        bases.find(|(_, repository_of_base)| repository(folder) == *repository_of_base).map(|(base, _)| base.as_path())
    }

    /// Tells whether a folder is one that was given, and not only a file in it.
    pub(super) fn is_base(&self, folder: &Path) -> bool {
        let by_file = self.named_by_file.iter().filter(|named| *named == folder).count();
        self.bases.iter().filter(|(base, _)| base == folder).count() > by_file
    }

    /// Opens a folder to write to, beneath the one that was given. What was exchanged for a link is not opened.
    pub(super) fn open(&self, workspace: &Workspace, folder: &Path) -> Result<WriteDir, Error> {
        let base = self.base_of(folder).unwrap_or(folder);
        let below = folder.strip_prefix(base).unwrap_or(Path::new(""));
        let opened = WriteDir::open(base).and_then(|base| base.below(below));
        opened.map_err(|error| not_fixed(workspace, folder, &error))
    }
}

pub(super) fn not_fixed(workspace: &Workspace, path: &Path, error: &std::io::Error) -> Error {
    let message = format!("{} cannot be fixed: {error}", paths::short(workspace, path));
    let is_link =
        [Errno::LOOP, Errno::NOTDIR, Errno::XDEV].iter().any(|code| error.raw_os_error() == Some(code.raw_os_error()));
    let help = match is_link {
        true => "nothing is written through a link; name the folder itself",
        false => "see that you may write there, and that nothing else changes it; what was done before this stays",
    };
    Error::other(ErrorKind::Failed, "not-fixed", message).with_help(help)
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;

    #[test]
    fn another_repository_is_not_in_scope() {
        let context = TestContext::new();
        context.tree("//- project/.git/HEAD\n//- project/sub/.git\ngitdir: ../.git/modules/sub\n//- project/sub/a/\n");
        let project = context.project();
        let scope = Scope { bases: vec![(project.clone(), Some(project.clone()))], named_by_file: Vec::new() };
        assert!(scope.has(&project) && scope.has(&project.join("other")));
        assert!(!scope.has(&project.join("sub/a")) && !scope.has(&context.home()));
    }
}
