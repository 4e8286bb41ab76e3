//! Use case: checks skills for errors against the standard and every host, and fixes what is certain.

mod fix;
mod relink;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::diagnostic::{Code, Level};
use openoxide_skills::judge::{Judgment, SkillFinding, judge};
use openoxide_skills::prelude::{Diagnostic, Host, View};
use openoxide_skills::text::{TerminalText, outline};
use openoxide_wire::{CheckAnswer, CheckedLine, ProblemLine, SchemaVersion};

use crate::{error::Error, paths, progress::Report};

use fix::Fixer;
use targets::Targets;

/// What to check.
#[derive(Clone, Debug, Default)]
pub struct CheckInput {
    /// Skills, or folders of skills; without one, every skill that some host finds.
    pub paths: Vec<PathBuf>,
    /// The host to check against; absent: the standard and every host.
    pub host: Option<String>,
    /// Whether to fix what can be fixed with certainty.
    pub fix: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// Each skill, and each place that could not be searched, with its findings.
    pub judged: Vec<Judgment>,
    /// How many skills were checked.
    pub skills: usize,
    /// How many hosts they were checked against.
    pub hosts: usize,
    /// How many findings were fixed.
    pub fixed: usize,
}

/// Checks skills. Fixes are reported one by one as they are made.
pub fn check(workspace: &Workspace, input: &CheckInput, report: Report<'_>) -> Result<CheckReport, Error> {
    let views = match &input.host {
        Some(host) => vec![workspace.view(host)?.0],
        None => workspace.views()?,
    };
    let hosts: Vec<&Host> = standard_first(&views);
    let Targets { folders, places, bases } = Targets::find(workspace, &views, &input.paths)?;
    let mut folders: Vec<PathBuf> = folders.into_iter().collect();
    let mut fixed = 0;
    if input.fix {
        // Without a path, only the project's skills are changed: what lies elsewhere is used by other projects too.
        let bases = if input.paths.is_empty() { vec![paths::real(&workspace.project)] } else { bases };
        let is_mine = |folder: &PathBuf| bases.iter().any(|base| folder.starts_with(base));
        let (mine, others): (Vec<PathBuf>, Vec<PathBuf>) = folders.into_iter().partition(is_mine);
        let mut fixer = Fixer { workspace, hosts: &hosts, bases: &bases, report };
        if !input.paths.is_empty() {
            for folder in &others {
                fixer.report_linked(folder);
            }
        }
        (folders, fixed) = fixer.fix(mine)?;
        folders.extend(others);
        folders.sort();
    }
    let around = workspace.around();
    let mut skills: Vec<Judgment> =
        folders.iter().map(|folder| judge(folder, &hosts, &around.boundary_at(folder))).collect();
    report_twins(&mut skills);
    let judged =
        skills.into_iter().chain(places.iter().map(|(path, diagnostic)| judged_place(path, diagnostic))).collect();
    Ok(CheckReport { judged, skills: folders.len(), hosts: hosts.len(), fixed })
}

/// Reports skills whose names can be mistaken for each other. Each counts, by its own name only.
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

    /// Returns how many findings can be fixed.
    pub fn fixable(&self) -> usize {
        self.findings().filter(|finding| finding.diagnostic.fix.is_some()).count()
    }

    /// Returns the answer as JSON has it.
    pub fn answer(&self) -> CheckAnswer {
        let checked = self.judged.iter().map(|judged| CheckedLine {
            path: judged.path.to_string_lossy().into_owned(),
            name: judged.name.clone(),
            ok: judged.is_ok(),
            problems: judged.findings.iter().map(problem_line).collect(),
        });
        CheckAnswer { schema: SchemaVersion::default(), checked: checked.collect() }
    }
}

fn problem_line(finding: &SkillFinding) -> ProblemLine {
    ProblemLine { dropped_by: finding.dropped_by.clone(), ..ProblemLine::new(Some(&finding.path), &finding.diagnostic) }
}

/// Puts the standard first: its words are used when several hosts find the same thing.
fn standard_first(views: &[View]) -> Vec<&Host> {
    let (standard, others): (Vec<&View>, Vec<&View>) = views.iter().partition(|view| view.host.standard);
    standard.into_iter().chain(others).map(|view| &view.host).collect()
}

/// Makes a finding of a place that could not be searched.
fn judged_place(path: &Path, diagnostic: &Diagnostic) -> Judgment {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let finding = SkillFinding::new(path, diagnostic.clone());
    Judgment { path: path.to_owned(), name, findings: vec![finding] }
}
