//! `check`: problems with code, place and fix, for the agents that a person uses.

use openoxide_app::check::{CheckInput, CheckReport, Fixable, Fixes};
use openoxide_app::{Level, Workspace};

pub(crate) use self::args::CheckArgs;
use self::args::Format;
use crate::session::{open_workspace, say_no_agent};
use crate::ui::{ExitStatus, Ui, count};

mod args;
mod concise;
mod github;
mod sarif;
mod text;

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
