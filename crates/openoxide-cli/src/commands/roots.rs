//! `roots`: where a host looks, in what order, and by what settings.

use std::fmt::Write as _;

use openoxide_app::off::skills_off;
use openoxide_app::paths;
use openoxide_app::roots::probe_isolation;
use openoxide_app::{Catalog, Depth};
use openoxide_wire::RootsAnswer;

use crate::args::Common;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::table::{fill, pad, pad_left, widest};
use crate::ui::{Role, Ui, paint, safe};

/// Show where a host looks, in what order, and by what settings
///
/// The view for finding out why something is missing: resolved folders, precedence, settings with their origin,
/// skills that are switched off, findings, limits that were reached, and what this machine has to isolate a command.
#[derive(Debug, clap::Args)]
pub(crate) struct RootsArgs {}

pub(crate) fn roots(ui: &Ui, common: &Common, _args: &RootsArgs) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    let snapshot = session.search(Depth::Quick);
    let answer = openoxide_app::roots::roots(&snapshot, &probe_isolation()?);
    if common.json {
        ui.json(&answer)?;
    } else {
        ui.data(&text(ui, &session, &snapshot.catalog, &answer))?;
    }
    Ok(ExitStatus::Done)
}

fn text(ui: &Ui, session: &Session, catalog: &Catalog, answer: &RootsAnswer) -> String {
    let short = |path: &str| paths::short(&session.workspace, path.as_ref());
    let trusted = if answer.trusted { "trusted" } else { "not trusted" };
    let mut text = format!("{} sees {} ({trusted})\n\n", session.view.host.title, safe(&answer.project));
    if let Some(off) = skills_off(&session.workspace, &session.view) {
        let _ = writeln!(text, "{}", fill("", &off.remedy(), ui.width()));
    }
    let shown: Vec<String> = answer.roots.iter().map(|root| short(&root.path)).collect();
    let width = widest(shown.iter().map(String::as_str), 52);
    for (number, (root, path)) in answer.roots.iter().zip(&shown).enumerate() {
        let found = match (root.exists, root.skills, root.others) {
            (false, ..) => paint(Role::Dim, "not there"),
            (true, skills, 0) => format!("{skills} counted"),
            (true, skills, others) => format!("{skills} counted, {others} not"),
        };
        let provider = root.provider.as_ref().map_or_else(String::new, |provider| format!("  {provider}"));
        let _ = writeln!(
            text,
            "{}. {}  {}  {found}{provider}",
            pad_left(&(number + 1).to_string(), 3),
            pad(&root.scope, 6),
            pad(path, width)
        );
    }
    if !answer.precedence.is_empty() {
        let order = format!("{}, then the order above", answer.precedence.join(" > "));
        let _ = writeln!(text, "\n{}", fill("Same name: ", &order, ui.width()));
    }
    let _ = writeln!(text, "\n{}", fill("Isolation: ", &safe(&answer.isolation.summary), ui.width()));
    settings_text(ui, &mut text, session, answer);
    for entry in &answer.disabled {
        let reason = fill("  ", &safe(&entry.reason), ui.width());
        let _ = writeln!(text, "\n{}  {}\n{reason}", paint(Role::Warning, "disabled"), safe(&entry.name));
    }
    for problem in &catalog.problems {
        let line = problem.diagnostic.place.as_ref().map_or_else(String::new, |place| format!(":{}", place.line));
        let level = problem.diagnostic.level.as_str();
        let role = if problem.diagnostic.is_error() { Role::Error } else { Role::Warning };
        let path = paths::short(&session.workspace, &problem.path);
        let message = format!("{} [{}]", safe(&problem.diagnostic.message), problem.diagnostic.code);
        let _ = writeln!(text, "\n{}  {path}{line}\n{}", paint(role, level), fill("  ", &message, ui.width()));
    }
    text
}

fn settings_text(ui: &Ui, text: &mut String, session: &Session, answer: &RootsAnswer) {
    if answer.settings.is_empty() {
        return;
    }
    text.push_str("\nSettings\n");
    let names = widest(answer.settings.iter().map(|setting| setting.name.as_str()), 24);
    for setting in &answer.settings {
        let value = setting.value.as_ref().map_or_else(|| "not set".to_owned(), ToString::to_string);
        let origin = paths::abbreviate_home(&session.workspace, &setting.origin);
        let lead = format!("  {}  ", pad(&setting.name, names));
        let line = format!("{}  {}", pad(&spaced(&safe(&value)), 12), paint(Role::Dim, &safe(&origin)));
        let _ = writeln!(text, "{}", fill(&lead, &line, ui.width()));
    }
}

/// Writes a list so that it can be broken between its items.
fn spaced(value: &str) -> String {
    value.replace("\",\"", "\", \"")
}
