//! Plans fixes: drafts each skill until nothing is left to fix, and writes nothing.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::diagnostic::{Code, Fix};
use openoxide_skills::judge::{CHECKED_MAX, Draft, Judgment, judge_draft};
use rustix::fs::FileType;

use super::plan::{FileEdit, Plan, Rename};
use super::rename::Renamer;
use super::scope::{Scope, not_fixed};
use super::{Frame, selection::Selection, targets::Targets};
use crate::{Error, Progress, Report, paths};

/// A fixed text may show the next mistake; more rounds than this are not needed.
const ROUNDS: usize = 8;

pub(super) struct Planner<'p> {
    pub(super) workspace: &'p Workspace,
    pub(super) frame: &'p Frame,
    pub(super) targets: &'p Targets,
    pub(super) selection: &'p Selection,
    pub(super) scope: &'p Scope,
}

/// A skill while its fixes are planned.
struct SkillDraft {
    folder: PathBuf,
    draft: Draft,
    /// Its files as they were read, by name; nothing for one that is not to be changed.
    before: BTreeMap<String, Option<Vec<u8>>>,
    parts: BTreeMap<String, Vec<(String, String, Code)>>,
    renames: Vec<Rename>,
    /// Whether a rename was refused.
    is_refused: bool,
}

impl Planner<'_> {
    /// Plans the fixes of the skills that may be changed.
    pub(super) fn plan(&self, may_rename: bool, report: Report<'_>) -> Result<Plan, Error> {
        let targets = self.targets;
        let folders = targets.folders.iter().filter(|folder| self.scope.has(folder));
        let mut skills: Vec<SkillDraft> = folders.map(|folder| SkillDraft::new(folder)).collect();
        for skill in &mut skills {
            self.edit(skill, report)?;
        }
        let mut plan = Plan::default();
        if may_rename {
            let mut renamer = Renamer::new(self.workspace, self.scope, &targets.folders)?;
            self.rename(&mut skills, &mut renamer, report)?;
            plan.renames = skills.iter_mut().flat_map(|skill| std::mem::take(&mut skill.renames)).collect();
            plan.relinks = renamer.relinks(&plan);
        }
        plan.edits = skills.into_iter().flat_map(SkillDraft::into_edits).collect();
        Ok(plan)
    }

    /// Returns the folders of skills that have something to fix and may not be changed.
    pub(super) fn left(&self) -> impl Iterator<Item = &PathBuf> {
        let left = self.targets.folders.iter().filter(|folder| !self.scope.has(folder));
        left.filter(|folder| {
            self.judge(&SkillDraft::new(folder)).findings.iter().any(|finding| finding.diagnostic.fix.is_some())
        })
    }

    fn judge(&self, skill: &SkillDraft) -> Judgment {
        let boundary = self.workspace.around().boundary_at(&skill.folder);
        let hosts = self.frame.hosts_for(self.targets, &skill.folder);
        let mut judged = judge_draft(&skill.folder, self.frame.judges(&hosts), &boundary, &skill.draft);
        judged.findings.retain(|finding| self.selection.fixes(finding));
        judged
    }

    /// Edits the text of a skill until nothing in it is left to fix.
    fn edit(&self, skill: &mut SkillDraft, report: Report<'_>) -> Result<(), Error> {
        for _ in 0..ROUNDS {
            if !self.edit_once(skill, report)? {
                break;
            }
        }
        Ok(())
    }

    fn edit_once(&self, skill: &mut SkillDraft, report: Report<'_>) -> Result<bool, Error> {
        let mut edits: BTreeMap<String, Vec<(Range<usize>, String, Code)>> = BTreeMap::new();
        for finding in self.judge(skill).findings {
            let Some(Fix::Replace { span, text }) = finding.diagnostic.fix else { continue };
            let file = finding.path.file_name().unwrap_or_default().to_string_lossy();
            let file = skill.draft.present_name(&file).to_owned();
            edits.entry(file).or_default().push((span, text, finding.diagnostic.code));
        }
        let mut is_changed = false;
        for (file, edits) in edits {
            if !skill.before.contains_key(&file) {
                let text = self.read(&skill.folder, &file, report)?;
                skill.before.insert(file.clone(), text);
            }
            is_changed |= skill.apply(&file, edits);
        }
        Ok(is_changed)
    }

    /// Reads a file that is to be changed; nothing if it is one that is not.
    fn read(&self, folder: &Path, file: &str, report: Report<'_>) -> Result<Option<Vec<u8>>, Error> {
        let (dir, name, path) = (self.scope.open(self.workspace, folder)?, OsStr::new(file), folder.join(file));
        let mut left = |why: &str| {
            report(Progress::Warning(format!("{} {why}", paths::short(self.workspace, &path))));
            Ok(None)
        };
        if dir.kind(name) == Some(FileType::Symlink) {
            return left("is a link, and is not written through");
        }
        match dir.read(name, CHECKED_MAX) {
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
                left("is not changed: it is larger than 1 MiB")
            }
            read => read.map(Some).map_err(|error| not_fixed(self.workspace, &path, &error)),
        }
    }

    /// Renames files and folders where nothing relies on their names; what shows then is fixed too.
    fn rename(&self, skills: &mut [SkillDraft], renamer: &mut Renamer<'_>, report: Report<'_>) -> Result<(), Error> {
        for _ in 0..ROUNDS {
            let mut wanted = Vec::new();
            for skill in skills.iter_mut().filter(|skill| !skill.is_refused) {
                if let Some(rename) = self.wanted_rename(skill)? {
                    wanted.push((skill, rename));
                }
            }
            let renames: Vec<Rename> = wanted.iter().map(|(_, rename)| rename.clone()).collect();
            if renames.is_empty() {
                break;
            }
            for ((skill, rename), verdict) in wanted.into_iter().zip(renamer.decide(&renames)) {
                match verdict {
                    Ok(()) => {
                        skill.rename(rename);
                        self.edit(skill, report)?;
                    }
                    Err(why) => {
                        skill.is_refused = true;
                        let path = paths::short(self.workspace, &rename.from);
                        report(Progress::Warning(format!("{path} is not renamed: {why}")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the rename that a skill needs next: its file's before its folder's.
    fn wanted_rename(&self, skill: &SkillDraft) -> Result<Option<Rename>, Error> {
        let fixes: Vec<Fix> = self.judge(skill).findings.into_iter().filter_map(|found| found.diagnostic.fix).collect();
        for fix in &fixes {
            if let Fix::RenameFile(to) = fix
                && skill.draft.file.is_none()
                && let Some(from) = self.spelled_otherwise(&skill.folder, to)?
            {
                return Ok(Some(Rename { from: skill.folder.join(from), to: to.clone() }));
            }
        }
        Ok(fixes.into_iter().find_map(|fix| match fix {
            Fix::RenameFolder(to) if skill.draft.folder.is_none() => Some(Rename { from: skill.folder.clone(), to }),
            _ => None,
        }))
    }

    fn spelled_otherwise(&self, folder: &Path, to: &str) -> Result<Option<OsString>, Error> {
        let names = self.scope.open(self.workspace, folder)?.names();
        let names = names.map_err(|error| not_fixed(self.workspace, folder, &error))?;
        Ok(names.into_iter().find(|name| name.eq_ignore_ascii_case(to) && name != to))
    }
}

impl SkillDraft {
    fn new(folder: &Path) -> SkillDraft {
        SkillDraft {
            folder: folder.to_owned(),
            draft: Draft::default(),
            before: BTreeMap::new(),
            parts: BTreeMap::new(),
            renames: Vec::new(),
            is_refused: false,
        }
    }

    /// Applies edits to a file's draft; returns whether there was one that could be.
    fn apply(&mut self, file: &str, mut edits: Vec<(Range<usize>, String, Code)>) -> bool {
        let Some(Some(before)) = self.before.get(file) else { return false };
        let text = self.draft.texts.entry(file.to_owned()).or_insert_with(|| before.clone());
        edits.sort_by_key(|(span, ..)| std::cmp::Reverse(span.start));
        let (mut end, mut is_changed) = (text.len() + 1, false);
        for (span, replacement, code) in edits {
            // Two fixes for the same place: the later one in the file is made, the other waits for the next round.
            if span.end > text.len() || span.end > end || span.start > span.end {
                continue;
            }
            end = span.start;
            let old: Vec<u8> = text.splice(span, replacement.bytes()).collect();
            if old != replacement.as_bytes() {
                is_changed = true;
                let old = String::from_utf8_lossy(&old).into_owned();
                self.parts.entry(file.to_owned()).or_default().push((old, replacement, code));
            }
        }
        is_changed
    }

    fn rename(&mut self, rename: Rename) {
        if rename.from == self.folder {
            self.draft.folder = Some(rename.to.clone());
        } else {
            let from = rename.from.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.draft.file = Some((from, rename.to.clone()));
        }
        self.renames.push(rename);
    }

    fn into_edits(mut self) -> Vec<FileEdit> {
        let texts = std::mem::take(&mut self.draft.texts).into_iter();
        let edits = texts.filter_map(|(file, after)| {
            let before = self.before.remove(&file).flatten()?;
            let parts = self.parts.remove(&file).unwrap_or_default();
            (before != after).then(|| FileEdit { path: self.folder.join(&file), before, after, parts })
        });
        edits.collect()
    }
}
