//! `check`: problems with code, place and fix, for the standard and every host.

use std::path::PathBuf;

use openoxide_app::Level;
use openoxide_app::check::{CheckInput, CheckReport};

use crate::ui::{ExitStatus, Ui, count};
use crate::{session::open_workspace, snippet};

mod github;
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

pub(crate) fn check(ui: &Ui, args: &CheckArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    let input = CheckInput { paths: args.paths.clone(), host: ui.common.host.clone(), fix: args.fix };
    let report = openoxide_app::check::check(&workspace, &input, &mut |progress| ui.progress(progress))?;
    match if ui.common.json { Format::Json } else { args.format } {
        Format::Text => report
            .findings()
            .try_for_each(|finding| ui.data(&snippet::render(ui, &workspace, finding, report.hosts)))?,
        Format::Json => ui.json(&report.answer()).map(drop)?,
        Format::Sarif => ui.json(&sarif::report(&workspace, &report)).map(drop)?,
        Format::Github => ui.raw(&github::report(&workspace, &report))?,
    }
    ui.say(&summary(&report));
    Ok(if report.is_ok() { ExitStatus::Done } else { ExitStatus::No })
}

fn summary(report: &CheckReport) -> String {
    let (errors, warnings) = (report.count(Level::Error), report.count(Level::Warning));
    let (fixable, fixed) = (report.fixable(), report.fixed);
    let skills = count(report.skills, "skill");
    let done = if fixed > 0 { format!("; {fixed} fixed") } else { String::new() };
    let tail = if fixable > 0 && fixed == 0 { format!("; {fixable} can be fixed with --fix") } else { done };
    let found = match (count(errors, "error"), count(warnings, "warning")) {
        _ if errors + warnings == 0 => "no problems".to_owned(),
        (_, warnings) if errors == 0 => warnings,
        (errors, _) if warnings == 0 => errors,
        (errors, warnings) => format!("{errors}, {warnings}"),
    };
    format!("{found} in {skills}{tail}")
}
