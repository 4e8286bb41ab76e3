//! `check`: problems with code, place and fix, for the agents that a person uses.

use std::path::PathBuf;

use clap::ArgGroup;
use openoxide_app::check::{CheckInput, CheckReport, Fixable, Fixes};
use openoxide_app::{Level, Workspace};

use crate::session::{open_workspace, say_no_agent};
use crate::ui::{ExitStatus, Ui, count};

mod concise;
mod github;
mod sarif;
mod text;

/// Check skills for errors
///
/// Without a path, checks every skill that one of your agents finds from here. A path may be a skill's folder, its file,
/// or a folder of skills, in a project or not. A finding is an error if one of your agents drops the skill or if its
/// description is still a placeholder, a warning if an agent reads it differently, and a note if only the standard objects.
/// Exit status: 0 without an error, 1 with one; with --diff, 1 if there is something to change.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("changes").args(["fix", "diff"]).multiple(true))]
pub(crate) struct CheckArgs {
    /// Skills, or folders of skills
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Fix what is certain, only below the given paths, or else only in the project
    #[arg(long)]
    fix: bool,
    /// Show what --fix would change, and write nothing
    #[arg(long, conflicts_with_all = ["format", "json"])]
    diff: bool,
    /// Let --fix rename files and folders that nothing refers to
    #[arg(long, requires = "changes")]
    rename: bool,
    /// Check for every host that is known
    #[arg(long, conflicts_with = "host")]
    all_hosts: bool,
    /// Report violations of the standard as errors, even if your agents accept them
    #[arg(long)]
    strict: bool,
    /// Report only findings with these codes [config: check.select]
    #[arg(long, value_name = "CODE", value_delimiter = ',', num_args = 1)]
    select: Vec<String>,
    /// Report no findings with these codes [config: check.ignore]
    #[arg(long, value_name = "CODE", value_delimiter = ',', num_args = 1)]
    ignore: Vec<String>,
    /// The output format
    #[arg(long, value_enum, default_value = "text", conflicts_with = "json")]
    format: Format,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people; repeats are grouped
    Text,
    /// One line for each finding
    Concise,
    /// For programs
    Json,
    /// For code scanning services
    Sarif,
    /// For annotations in GitHub's checks
    Github,
}

pub(crate) fn check(ui: &Ui, args: &CheckArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    let report = openoxide_app::check::check(&workspace, &input(args), &mut |progress| ui.progress(progress))?;
    if report.none_found {
        say_no_agent(ui, &workspace);
    }
    if args.diff {
        return diff(ui, args, &workspace, &report);
    }
    match if ui.common.json { Format::Json } else { args.format } {
        // The exit status is the answer.
        Format::Text | Format::Concise if ui.common.quiet => {}
        Format::Text => ui.data(&text::report(ui, args, &workspace, &report))?,
        Format::Concise => ui.data(&concise::report(&workspace, &report))?,
        Format::Json => ui.json(&report.answer()).map(drop)?,
        Format::Sarif => ui.json(&sarif::report(&workspace, &report)).map(drop)?,
        Format::Github => ui.raw(&github::report(&workspace, &report))?,
    }
    ui.say(&summary(&report, args));
    Ok(if report.is_ok() { ExitStatus::Done } else { ExitStatus::No })
}

fn input(args: &CheckArgs) -> CheckInput {
    let fixes = match (args.diff, args.fix) {
        (true, _) => Fixes::Plan,
        (false, true) => Fixes::Make,
        (false, false) => Fixes::Leave,
    };
    CheckInput {
        paths: args.paths.clone(),
        all_hosts: args.all_hosts,
        strict: args.strict,
        fixes,
        rename: args.rename,
        select: args.select.clone(),
        ignore: args.ignore.clone(),
    }
}

/// Shows the changes that were planned.
fn diff(ui: &Ui, args: &CheckArgs, workspace: &Workspace, report: &CheckReport) -> anyhow::Result<ExitStatus> {
    if !ui.common.quiet {
        ui.raw(&report.plan.diff(workspace))?;
    }
    let skills = count(report.skills, "skill");
    let planned = match report.plan.fixes() {
        0 => format!("nothing to fix in {skills}"),
        fixes => format!("--fix would make {} in {skills}", count(fixes, "change")),
    };
    ui.say(&format!("{planned}{}", fixable_elsewhere(report, args)));
    Ok(if report.plan.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}

fn summary(report: &CheckReport, args: &CheckArgs) -> String {
    let levels = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")];
    let counts = levels.map(|(level, word)| (report.count(level), word));
    let found = counts.iter().filter(|(found, _)| *found > 0).map(|(found, word)| count(*found, word));
    let mut found: Vec<String> = found.collect();
    if counts[0].0 + counts[1].0 == 0 {
        let selected = if args.select.is_empty() { "" } else { " with the selected codes" };
        found.insert(0, format!("no problems{selected}"));
    }
    let fixed = if report.fixed > 0 { format!("; {} fixed", report.fixed) } else { String::new() };
    format!("{} in {}{fixed}{}", found.join(", "), count(report.skills, "skill"), fixable(report, args))
}

/// Says what can still be fixed, and how. What is left after a fix was left for a reason, which was said.
fn fixable(report: &CheckReport, args: &CheckArgs) -> String {
    let Fixable { edits, renames, .. } = report.fixable();
    let here = match (edits, renames) {
        (0, 0) => String::new(),
        (_, renames) if args.fix && (args.rename || renames == 0) => String::new(),
        (_, renames) if args.fix => format!("; {renames} more fixable with --rename"),
        (some, 0) => format!("; {some} fixable with --fix"),
        (0, renames) => format!("; {renames} fixable with --fix --rename"),
        (some, renames) => format!("; {some} fixable with --fix, {renames} more with --rename"),
    };
    format!("{here}{}", fixable_elsewhere(report, args))
}

/// Says how many findings `--fix` leaves alone because of where they are.
fn fixable_elsewhere(report: &CheckReport, args: &CheckArgs) -> String {
    match (report.fixable().elsewhere, args.paths.is_empty()) {
        (0, _) => String::new(),
        (some, true) => format!("; {some} outside of the project, fixable with --fix PATH"),
        (some, false) => format!("; {some} left alone, fixable with --fix PATH"),
    }
}
