//! Use case: checks skills for errors in your agents, and plans, shows or makes the fixes that are certain.

mod apply;
mod collection;
mod frame;
mod links;
mod plan;
mod planner;
mod relink;
mod rename;
mod scope;
mod selection;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::diagnostic::{Code, Fix, Level};
use openoxide_skills::judge::{Draft, Judgment, SkillFinding, judge_draft};
use openoxide_skills::prelude::Diagnostic;
use openoxide_skills::text::{TerminalText, outline};
use openoxide_wire::{CheckAnswer, CheckedLine, ProblemLine, SchemaVersion};

use crate::{error::Error, progress::Report};

pub use frame::Frame;
pub use plan::{FileEdit, Plan, Rename};

use planner::Planner;
use scope::Scope;
use selection::Selection;
use targets::Targets;

/// What to check.
#[derive(Clone, Debug, Default)]
pub struct CheckInput {
    /// Skills, or folders of skills; without one, every skill that one of the agents finds.
    pub paths: Vec<PathBuf>,
    /// Whether to check for every host, and not only for the agents that the user works with.
    pub all_hosts: bool,
    /// Whether what only the standard minds has the level that the standard gives it.
    pub strict: bool,
    /// What to do about findings that can be fixed.
    pub fixes: Fixes,
    /// Whether fixes may rename files and folders.
    pub rename: bool,
    /// The codes to report; without one, those of the setting `check.select`, or all.
    pub select: Vec<String>,
    /// The codes not to report; without one, those of the setting `check.ignore`.
    pub ignore: Vec<String>,
}

/// What to do about findings that can be fixed with certainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fixes {
    /// Nothing.
    #[default]
    Leave,
    /// Plan the changes, and make none.
    Plan,
    /// Make the changes.
    Make,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// Each skill, and each place that could not be searched, with its findings.
    pub judged: Vec<Judgment>,
    /// How many skills were checked.
    pub skills: usize,
    /// The names of the hosts that the skills were checked for.
    pub hosts: Vec<String>,
    /// Whether there is one host alone, so that findings need not name it.
    pub one_host: bool,
    /// Whether no agent was found, so that OpenOxide's own rules stood in for one.
    pub none_found: bool,
    /// The changes that were planned, or made.
    pub plan: Plan,
    /// How many findings were fixed.
    pub fixed: usize,
    scope: Scope,
}

/// How many findings can be fixed, by what that takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fixable {
    /// By edits.
    pub edits: usize,
    /// By renames.
    pub renames: usize,
    /// Only if the path of the skill is given.
    pub elsewhere: usize,
}

/// Checks skills. Fixes are reported one by one as they are made.
pub fn check(workspace: &Workspace, input: &CheckInput, report: Report<'_>) -> Result<CheckReport, Error> {
    let frame = Frame::find(workspace, input.all_hosts, input.strict)?;
    let selection = Selection::read(workspace, &input.select, &input.ignore, report)?;
    let mut targets = Targets::find(workspace, &frame.views, &input.paths)?;
    let scope = Scope::new(workspace, &targets);
    let (mut plan, mut fixed) = (Plan::default(), 0);
    if input.fixes != Fixes::Leave {
        scope.judge(workspace, &input.paths)?;
        let planner = Planner { workspace, frame: &frame, targets: &targets, selection: &selection, scope: &scope };
        if !input.paths.is_empty() {
            scope.report_left(workspace, planner.left(), report);
        }
        plan = planner.plan(input.rename, report)?;
        if input.fixes == Fixes::Make {
            fixed = apply::apply(workspace, &scope, &plan, report)?;
            targets.folders = targets.folders.iter().map(|folder| plan.path_after(folder)).collect();
            let finders = std::mem::take(&mut targets.finders).into_iter();
            targets.finders = finders.map(|(folder, hosts)| (plan.path_after(&folder), hosts)).collect();
        }
    }
    let around = workspace.around();
    let judge = |folder: &PathBuf| {
        let hosts = frame.hosts_for(&targets, folder);
        judge_draft(folder, frame.judges(&hosts), &around.boundary_at(folder), &Draft::default())
    };
    let mut judged: Vec<Judgment> = targets.folders.iter().map(judge).collect();
    report_twins(&mut judged);
    judged.extend(targets.places.iter().map(|(path, diagnostic)| judged_place(path, diagnostic)));
    for judged in &mut judged {
        selection.retain(&mut judged.findings);
    }
    let hosts = frame.views.iter().map(|view| view.spec.id()).collect();
    let (one_host, none_found) = (frame.is_named || frame.is_own, frame.is_own);
    Ok(CheckReport { judged, skills: targets.folders.len(), hosts, one_host, none_found, plan, fixed, scope })
}

/// Tells whether fixing a skill would rename something, so that only advice is given that works.
pub fn would_rename(workspace: &Workspace, folder: &Path) -> bool {
    let (paths, fixes) = (vec![folder.to_owned()], Fixes::Plan);
    let input = CheckInput { paths, fixes, rename: true, all_hosts: true, ..CheckInput::default() };
    check(workspace, &input, &mut |_| {}).is_ok_and(|report| !report.plan.renames.is_empty())
}

/// Reports skills whose names can be mistaken for each other. Each is called by its own name only.
fn report_twins(skills: &mut [Judgment]) {
    let mut outlines: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for skill in skills.iter() {
        outlines.entry(outline(&skill.name)).or_default().insert(skill.name.clone());
    }
    for skill in skills {
        let others = outlines.get(&outline(&skill.name)).into_iter().flatten().filter(|name| **name != skill.name);
        let others: Vec<String> = others.map(|name| format!("`{}`", TerminalText(name))).collect();
        if !others.is_empty() {
            let message =
                format!("the skill `{}` can be mistaken for {}", TerminalText(&skill.name), others.join(", "));
            let help = "rename one of them; until then, each is called by exactly its own name";
            let diagnostic = Diagnostic::warning(Code::DeceptiveName, message).help(help);
            skill.findings.push(SkillFinding::new(&skill.path, diagnostic));
        }
    }
}

impl CheckReport {
    /// Returns whether nothing found is an error.
    pub fn is_ok(&self) -> bool {
        self.judged.iter().all(Judgment::is_ok)
    }

    /// Returns all findings, skill by skill.
    pub fn findings(&self) -> impl Iterator<Item = &SkillFinding> {
        self.judged.iter().flat_map(|judged| &judged.findings)
    }

    /// Returns how many findings have a level.
    pub fn count(&self, level: Level) -> usize {
        self.findings().filter(|finding| finding.diagnostic.level == level).count()
    }

    /// Returns how many findings `--fix` would fix.
    pub fn fixable(&self) -> Fixable {
        let mut all = Fixable::default();
        for finding in self.findings() {
            match self.fix_of(finding) {
                Some(_) if self.is_elsewhere(finding) => all.elsewhere += 1,
                Some(fix) if fix.is_rename() => all.renames += 1,
                Some(_) => all.edits += 1,
                None => {}
            }
        }
        all
    }

    /// Returns the fix of a finding, if `--fix` makes it: notes are left alone.
    pub fn fix_of<'f>(&self, finding: &'f SkillFinding) -> Option<&'f Fix> {
        finding.diagnostic.fix.as_ref().filter(|_| finding.diagnostic.level > Level::Note)
    }

    /// Tells whether a finding is about a file that `--fix` leaves alone unless its path is given.
    pub fn is_elsewhere(&self, finding: &SkillFinding) -> bool {
        finding.path.parent().is_some_and(|folder| !self.scope.has(folder))
    }

    /// Returns the answer as JSON has it.
    pub fn answer(&self) -> CheckAnswer {
        let checked = self.judged.iter().map(|judged| CheckedLine {
            path: judged.path.to_string_lossy().into_owned(),
            name: judged.name.clone(),
            ok: judged.is_ok(),
            problems: judged.findings.iter().map(problem_line).collect(),
        });
        CheckAnswer { schema: SchemaVersion::default(), hosts: self.hosts.clone(), checked: checked.collect() }
    }
}

fn problem_line(finding: &SkillFinding) -> ProblemLine {
    ProblemLine {
        dropped_by: finding.dropped_by.clone(),
        differs_in: finding.differs_in.clone(),
        ..ProblemLine::new(Some(&finding.path), &finding.diagnostic)
    }
}

/// Makes a finding of a place that could not be searched.
fn judged_place(path: &Path, diagnostic: &Diagnostic) -> Judgment {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let finding = SkillFinding::new(path, diagnostic.clone());
    Judgment { path: path.to_owned(), name, findings: vec![finding] }
}
