//! Fixes what can be fixed with certainty, and checks again until nothing is left to fix.

use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::diagnostic::{Diagnostic, Fix};
use openoxide_skills::judge::{Judgment, judge};
use openoxide_skills::{host::Host, text::TerminalText};

use super::relink::links_to;
use crate::{Progress, Report, error::Error, paths};

/// A fixed file may show the next mistake; more rounds than this are not needed.
const ROUNDS: usize = 4;

/// Fixes skills, and reports each thing as it is done: an error later does not undo it.
pub(super) struct Fixer<'f> {
    pub(super) workspace: &'f Workspace,
    pub(super) hosts: &'f [&'f Host],
    pub(super) report: Report<'f>,
}

impl Fixer<'_> {
    /// Fixes the skills in some folders; returns where they are now, and how many findings are gone.
    pub(super) fn fix(&mut self, mut folders: Vec<PathBuf>) -> Result<(Vec<PathBuf>, usize), Error> {
        let mut fixed = 0;
        for _ in 0..ROUNDS {
            let mut changed = false;
            for folder in &mut folders {
                let judged = judge(folder, self.hosts);
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
        if path.is_symlink() {
            let text = format!("{} is a link, and is not written through", paths::short(self.workspace, path));
            (self.report)(Progress::Warning(text));
            return Ok(0);
        }
        let mut text = fs_err::read(path)?;
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
        fs_err::write(path, text)?;
        Ok(count)
    }

    fn rename_file(&mut self, folder: &Path, to: &str) -> Result<usize, Error> {
        let entries = fs_err::read_dir(folder)?.flatten();
        let Some(from) = entries
            .map(|entry| entry.path())
            .find(|path| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(to) && name != to))
        else {
            return Ok(0);
        };
        let target = folder.join(to);
        if target.symlink_metadata().is_ok() {
            return Ok(0);
        }
        self.rename(&from, &target, to)
    }

    fn rename_folder(&mut self, folder: &mut PathBuf, to: &str) -> Result<usize, Error> {
        let target = folder.with_file_name(to);
        if target.symlink_metadata().is_ok() {
            let (folder, to) = (paths::short(self.workspace, folder), TerminalText(to));
            (self.report)(Progress::Warning(format!("{folder} is not renamed: `{to}` is already there")));
            return Ok(0);
        }
        let renamed = self.rename(folder, &target, to)?;
        *folder = target;
        Ok(renamed)
    }

    /// Renames a file or folder, and makes the links to it lead to it again.
    fn rename(&mut self, from: &Path, target: &Path, to: &str) -> Result<usize, Error> {
        let links = links_to(self.workspace, from)?;
        fs_err::rename(from, target)?;
        let (from, to) = (paths::short(self.workspace, from), TerminalText(to));
        (self.report)(Progress::Done(format!("renamed {from} to {to}")));
        for link in links {
            (self.report)(link.retarget(self.workspace, target));
        }
        Ok(1)
    }
}
