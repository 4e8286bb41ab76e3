//! `check`: problems with code, place and fix, for the standard and every host.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::{
    Catalog, Depth, Diagnostic, Finding, Host, HostSettings, Judged, Level, Problem, Root, SkillScope, View,
    is_skill_folder, judge, load,
};
use openoxide_wire::{CheckAnswer, Checked, ProblemLine, SchemaVersion};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::open_workspace;
use crate::snippet;
use crate::ui::{Ui, count};

mod fix;
mod github;
mod relink;
mod sarif;

/// Check skills for errors
///
/// Without a path, checks every skill that any host finds from here. A path may be a skill's folder, its file, or a
/// folder of skills, in a project or not. Without --host, checks against the standard and every host; a field that
/// only some hosts know is a warning then.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Skills, or folders of skills
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Mend what can be mended with certainty; without a path, in the project only
    #[arg(long)]
    fix: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value = "text", conflicts_with = "json")]
    format: Format,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For code scanning services
    Sarif,
    /// For annotations in GitHub's checks
    Github,
}

pub(crate) fn check(ui: &Ui, common: &Common, args: &CheckArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui, common)?;
    let views = match &common.host {
        Some(host) => vec![workspace.view(host)?.0],
        None => workspace.views()?,
    };
    let hosts: Vec<&Host> = standard_first(&views);
    let Targets { dirs, mut places } = targets(&workspace, &views, &args.paths)?;
    // A skill's own file is judged with the skill.
    places.retain(|path, _| !path.parent().is_some_and(|parent| dirs.contains(parent)));
    let mut targets: Vec<PathBuf> = dirs.into_iter().collect();
    let mut fixed = 0;
    if args.fix {
        let (mine, others) = fixable(&workspace, targets, args.paths.is_empty());
        (targets, fixed) = fix::apply(ui, &workspace, mine, &hosts)?;
        targets.extend(others);
        targets.sort();
    }
    let skills = targets.iter().map(|dir| judge(dir, &hosts));
    let judged: Vec<Judged> = skills.chain(places.iter().map(|(path, why)| place(path, why))).collect();
    match if common.json { Format::Json } else { args.format } {
        Format::Text => text(ui, &workspace, &judged, hosts.len())?,
        Format::Json => ui.json(&answer(&judged))?,
        Format::Sarif => ui.json(&sarif::report(&workspace, &judged))?,
        Format::Github => ui.raw(&github::report(&workspace, &judged))?,
    }
    ui.say(&summary(&judged, targets.len(), fixed));
    Ok(if judged.iter().all(Judged::is_ok) { ExitStatus::Done } else { ExitStatus::No })
}

/// Without a path, only the project's skills are changed: what lies elsewhere is used by other projects too.
fn fixable(workspace: &Workspace, targets: Vec<PathBuf>, all: bool) -> (Vec<PathBuf>, Vec<PathBuf>) {
    targets.into_iter().partition(|dir| !all || dir.starts_with(&workspace.project))
}

/// The standard's words come first when several hosts find the same thing.
fn standard_first(views: &[View]) -> Vec<&Host> {
    let (standard, others): (Vec<&View>, Vec<&View>) = views.iter().partition(|view| view.host.standard);
    standard.into_iter().chain(others).map(|view| &view.host).collect()
}

/// What there is to check.
#[derive(Default)]
struct Targets {
    /// The folders of the skills, in order.
    dirs: BTreeSet<PathBuf>,
    /// What is wrong with places that could not be searched.
    places: BTreeMap<PathBuf, Diagnostic>,
}

/// Finds what there is to check.
fn targets(workspace: &Workspace, views: &[View], paths: &[PathBuf]) -> anyhow::Result<Targets> {
    let mut targets = Targets::default();
    if paths.is_empty() {
        targets.below_roots(views);
    }
    for path in paths {
        targets.below_path(workspace, views, path)?;
    }
    Ok(targets)
}

impl Targets {
    /// Adds every skill that some host finds, single command files aside.
    fn below_roots(&mut self, views: &[View]) {
        for catalog in &load(views, Depth::Thorough) {
            let skills = catalog.entries().filter(|entry| !catalog.roots[entry.root].root.scan.layout.is_flat());
            let looked_at =
                skills.filter(|entry| entry.reason.as_ref().is_none_or(|reason| !reason.code.is_about_place()));
            self.dirs.extend(looked_at.filter_map(|entry| std::fs::canonicalize(entry.found().parent()?).ok()));
            self.unsearched(catalog);
        }
    }

    fn below_path(&mut self, workspace: &Workspace, views: &[View], path: &Path) -> anyhow::Result<()> {
        let whole = workspace.environment.cwd.join(path);
        let missing = || {
            Told::failed(format!("`{}` is not there", path.display()))
                .hint("name a skill's folder, its file, or a folder of skills")
        };
        let real = std::fs::canonicalize(&whole).map_err(|_| missing())?;
        let is_file = whole.symlink_metadata().is_ok_and(|stat| !(stat.is_dir() || stat.is_symlink() && real.is_dir()));
        if is_file {
            self.dirs.extend(whole.parent().and_then(|parent| std::fs::canonicalize(parent).ok()));
        } else if is_skill_folder(&real) {
            self.dirs.insert(real);
        } else if !self.below_folder(views, &real) {
            let hint = "a skill is a folder with a `SKILL.md`; `openoxide new NAME` makes one";
            let message = format!("there is no skill in `{}`", paths::short(workspace, &real));
            return Err(Told::failed(message).hint(hint).into());
        }
        Ok(())
    }

    /// Adds what is in a folder; tells whether there is something.
    fn below_folder(&mut self, views: &[View], dir: &Path) -> bool {
        let Some(first) = views.first() else { return false };
        let mut scan = openoxide_skills::ScanRules {
            inside_skill: true,
            hidden: openoxide_skills::FolderNames::Enter,
            ..Default::default()
        };
        scan.ignored = [".git", "node_modules"].map(str::to_owned).to_vec();
        let root = Root::plain(dir.to_owned(), SkillScope::Repo, scan);
        let view = View { roots: vec![root], settings: HostSettings::default(), ..first.clone() };
        let catalog = load(&[view], Depth::Thorough).remove(0);
        let dirs: Vec<PathBuf> =
            catalog.entries().filter_map(|entry| entry.canonical().parent().map(Path::to_owned)).collect();
        let places = self.unsearched(&catalog);
        let is_something = places > 0 || !dirs.is_empty();
        self.dirs.extend(dirs);
        is_something
    }

    /// Adds the places that a host could not search; returns how many there are.
    fn unsearched(&mut self, catalog: &Catalog) -> usize {
        let files: HashSet<&Path> =
            catalog.entries().flat_map(|entry| [entry.skill.path.as_ref(), entry.found()]).collect();
        let is_place = |problem: &&Problem| {
            snippet::is_unsearched(problem.diagnostic.code) && !files.contains(problem.path.as_path())
        };
        let places = catalog.problems.iter().filter(is_place);
        places.map(|problem| self.places.insert(problem.path.clone(), problem.diagnostic.clone())).count()
    }
}

/// Makes a finding of a place that could not be searched.
fn place(path: &Path, diagnostic: &Diagnostic) -> Judged {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let finding = Finding { path: path.to_owned(), diagnostic: diagnostic.clone(), dropped_by: Vec::new() };
    Judged { path: path.to_owned(), name, findings: vec![finding] }
}

fn answer(judged: &[Judged]) -> CheckAnswer {
    let checked = judged.iter().map(|judged| Checked {
        path: judged.path.to_string_lossy().into_owned(),
        name: judged.name.clone(),
        ok: judged.is_ok(),
        problems: judged
            .findings
            .iter()
            .map(|finding| ProblemLine {
                dropped_by: finding.dropped_by.clone(),
                ..ProblemLine::new(Some(&finding.path), &finding.diagnostic)
            })
            .collect(),
    });
    CheckAnswer { schema: SchemaVersion::default(), checked: checked.collect() }
}

fn text(ui: &Ui, workspace: &Workspace, judged: &[Judged], hosts: usize) -> anyhow::Result<()> {
    for finding in judged.iter().flat_map(|judged| &judged.findings) {
        ui.data(&snippet::render(ui, workspace, finding, hosts))?;
    }
    Ok(())
}

fn summary(judged: &[Judged], skills: usize, fixed: usize) -> String {
    let findings = || judged.iter().flat_map(|judged| &judged.findings);
    let of = |level| findings().filter(|finding| finding.diagnostic.level == level).count();
    let (errors, warnings) = (of(Level::Error), of(Level::Warning));
    let fixable = findings().filter(|finding| finding.diagnostic.fix.is_some()).count();
    let skills = count(skills, "skill");
    let mended = if fixed > 0 { format!("; {fixed} fixed") } else { String::new() };
    let tail = if fixable > 0 && fixed == 0 { format!("; {fixable} can be fixed with --fix") } else { mended };
    match (errors, warnings) {
        (0, 0) => format!("no problems in {skills}{tail}"),
        (0, _) => format!("{} in {skills}{tail}", count(warnings, "warning")),
        (_, 0) => format!("{} in {skills}{tail}", count(errors, "error")),
        _ => format!("{}, {} in {skills}{tail}", count(errors, "error"), count(warnings, "warning")),
    }
}
