//! Fixes what can be fixed with certainty, and checks again until nothing is left to fix.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use openoxide_config::{Workspace, WriteDir};
use openoxide_skills::diagnostic::{Diagnostic, Fix};
use openoxide_skills::judge::{CHECKED_MAX, Judgment, judge};
use openoxide_skills::{host::Host, text::TerminalText};

use rustix::fs::FileType;

use super::relink::links_to;
use crate::{ErrorKind, Progress, Report, error::Error, paths};

/// A fixed file may show the next mistake; more rounds than this are not needed.
const ROUNDS: usize = 4;

/// Fixes skills, and reports each thing as it is done: an error later does not undo it.
pub(super) struct Fixer<'f> {
    pub(super) workspace: &'f Workspace,
    pub(super) hosts: &'f [&'f Host],
    /// The folders that may be changed, links resolved.
    pub(super) bases: &'f [PathBuf],
    pub(super) report: Report<'f>,
}

impl Fixer<'_> {
    /// Says that a skill is not fixed, because only a link leads to it.
    pub(super) fn report_linked(&mut self, folder: &Path) {
        let folder = paths::short(self.workspace, folder);
        let text = format!("{folder} is reached through a link and is not fixed: openoxide check --fix {folder}");
        (self.report)(Progress::Warning(text));
    }

    /// Opens a folder to write to, beneath the base that it is in. What was exchanged for a link is not opened.
    fn open(&self, folder: &Path) -> Result<WriteDir, Error> {
        let base = self.bases.iter().find(|base| folder.starts_with(base)).map_or(folder, PathBuf::as_path);
        let below = folder.strip_prefix(base).unwrap_or(Path::new(""));
        let opened = WriteDir::open(base).and_then(|base| base.below(below));
        opened.map_err(|error| self.not_fixed(folder, &error))
    }

    fn not_fixed(&self, path: &Path, error: &std::io::Error) -> Error {
        let message = format!("{} cannot be fixed: {error}", paths::short(self.workspace, path));
        let help = "nothing is written through a link; name the folder itself";
        Error::other(ErrorKind::Failed, "not-fixed", message).with_help(help)
    }

    /// Fixes the skills in some folders; returns where they are now, and how many findings are gone.
    pub(super) fn fix(&mut self, mut folders: Vec<PathBuf>) -> Result<(Vec<PathBuf>, usize), Error> {
        let (around, mut fixed) = (self.workspace.around(), 0);
        for _ in 0..ROUNDS {
            let mut changed = false;
            for folder in &mut folders {
                let judged = judge(folder, self.hosts, &around.boundary_at(folder));
                let count = self.fix_one(folder, &judged)?;
                fixed += count;
                changed |= count > 0;
            }
            if !changed {
                break;
            }
        }
        folders.sort();
        Ok((folders, fixed))
    }

    /// Fixes one skill; renaming its folder changes `folder`.
    fn fix_one(&mut self, folder: &mut PathBuf, judged: &Judgment) -> Result<usize, Error> {
        let mut count = self.replace(judged)?;
        for diagnostic in judged.findings.iter().map(|finding| &finding.diagnostic) {
            match &diagnostic.fix {
                Some(Fix::RenameFile(to)) => count += self.rename_file(folder, to)?,
                // A file that changed is read again before its folder is renamed.
                Some(Fix::RenameFolder(to)) if count == 0 => count += self.rename_folder(folder, to)?,
                _ => {}
            }
        }
        Ok(count)
    }

    fn replace(&mut self, judged: &Judgment) -> Result<usize, Error> {
        let mut edits: Vec<(&Path, &Diagnostic, std::ops::Range<usize>, &str)> = Vec::new();
        for finding in &judged.findings {
            if let Some(Fix::Replace { span, text }) = &finding.diagnostic.fix {
                edits.push((&finding.path, &finding.diagnostic, span.clone(), text));
            }
        }
        let Some(path) = edits.first().map(|edit| edit.0) else { return Ok(0) };
        edits.retain(|edit| edit.0 == path);
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.2.start));
        let (dir, name) = (self.open(path.parent().unwrap_or(Path::new("/")))?, path.file_name().unwrap_or_default());
        if dir.kind(name) == Some(FileType::Symlink) {
            let text = format!("{} is a link, and is not written through", paths::short(self.workspace, path));
            (self.report)(Progress::Warning(text));
            return Ok(0);
        }
        let mut text = match dir.read(name, CHECKED_MAX) {
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                let path = paths::short(self.workspace, path);
                (self.report)(Progress::Warning(format!("{path} is not changed: it is larger than 1 MiB")));
                return Ok(0);
            }
            read => read.map_err(|error| self.not_fixed(path, &error))?,
        };
        let mut end = text.len() + 1;
        let mut count = 0;
        for (_, diagnostic, span, replacement) in edits {
            // Two fixes for the same place: the later one in the file was made, the other waits for the next round.
            if span.end <= end.min(text.len()) && span.end <= end {
                let old: Vec<u8> = text.splice(span.clone(), replacement.bytes()).collect();
                end = span.start;
                count += 1;
                (self.report)(Progress::Replaced {
                    path: paths::short(self.workspace, path),
                    old: String::from_utf8_lossy(&old).into_owned(),
                    new: replacement.to_owned(),
                    code: diagnostic.code,
                });
            }
        }
        dir.replace(name, &text).map_err(|error| self.not_fixed(path, &error))?;
        Ok(count)
    }

    fn rename_file(&mut self, folder: &Path, to: &str) -> Result<usize, Error> {
        let dir = self.open(folder)?;
        let names = dir.names().map_err(|error| self.not_fixed(folder, &error))?;
        let is_spelled_otherwise = |name: &&OsString| name.eq_ignore_ascii_case(to) && *name != to;
        let Some(from) = names.iter().find(is_spelled_otherwise) else { return Ok(0) };
        if dir.kind(OsStr::new(to)).is_some() {
            return Ok(0);
        }
        self.rename(&dir, folder, from, to)
    }

    fn rename_folder(&mut self, folder: &mut PathBuf, to: &str) -> Result<usize, Error> {
        let (Some(parent), Some(name)) = (folder.parent().map(Path::to_owned), folder.file_name()) else {
            return Ok(0);
        };
        // A folder that was named itself has its name in the folder above.
        let dir = self.open(&parent)?;
        if dir.kind(OsStr::new(to)).is_some() {
            let (folder, to) = (paths::short(self.workspace, folder), TerminalText(to));
            (self.report)(Progress::Warning(format!("{folder} is not renamed: `{to}` is already there")));
            return Ok(0);
        }
        let renamed = self.rename(&dir, &parent, name, to)?;
        *folder = parent.join(to);
        Ok(renamed)
    }

    /// Renames a file or folder in a folder, and makes the links to it lead to it again.
    fn rename(&mut self, dir: &WriteDir, folder: &Path, from: &OsStr, to: &str) -> Result<usize, Error> {
        let (old, target) = (folder.join(from), folder.join(to));
        let links = links_to(self.workspace, &old)?;
        dir.rename(from, OsStr::new(to)).map_err(|error| self.not_fixed(&old, &error))?;
        let (from, to) = (paths::short(self.workspace, &old), TerminalText(to));
        (self.report)(Progress::Done(format!("renamed {from} to {to}")));
        for link in links {
            (self.report)(link.retarget(self.workspace, &target));
        }
        Ok(1)
    }
}
