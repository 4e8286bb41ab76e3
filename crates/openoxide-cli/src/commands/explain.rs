//! `explain`: why a skill does or does not count, here and in each other host; or what a code means.

use std::{fmt::Write as _, io::IsTerminal as _};

use openoxide_app::explain::{FoundElsewhere, LinkAdvice};
use openoxide_app::{Catalog, Entry, PlaceSettings, SkillScope, Status, find, paths};
use openoxide_wire::HostOutcome;
use unicode_width::UnicodeWidthStr as _;

use crate::table::{cut, fill, pad, widest};
use crate::ui::{ExitStatus, Role, Ui, count, paint, safe};
use crate::{session::open, typed};

mod page;

/// Explain why a skill does or does not count, or what a code means
///
/// Takes a skill's name or path, or a code such as S0102 that `check` or `list` printed. Of other hosts, shows those
/// that are here; all of them with `-v`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// A skill's name or path, or a code
    #[arg(value_name = "SKILL|CODE")]
    subject: String,
}

pub(crate) fn explain(ui: &Ui, args: &ExplainArgs) -> anyhow::Result<ExitStatus> {
    if let Some(page) = openoxide_app::explain::page(&args.subject)? {
        match ui.width {
            Some(width) if std::io::stdout().is_terminal() => ui.data(&page::readable(page, width))?,
            _ => ui.data(page)?,
        }
        return Ok(ExitStatus::Done);
    }
    let settings = open(ui)?;
    let explanation = openoxide_app::explain::explain(&settings, &args.subject)?;
    if ui.common.json {
        return ui.json(&explanation.answer);
    }
    ui.warn_of_settings(&settings.workspace, &settings.problems);
    let found = find(&settings.workspace, &explanation.catalog, &args.subject).unwrap_or_default();
    let mut text = match &explanation.elsewhere {
        Some(elsewhere) => unseen_text(ui, &settings, &args.subject, elsewhere),
        None => found_text(ui, &settings, &args.subject, &explanation.catalog, &found),
    };
    let hosts: Vec<(&HostOutcome, bool)> =
        explanation.answer.hosts.iter().zip(explanation.here.iter().copied()).collect();
    text.push_str(&hosts_text(ui, &args.subject, &hosts));
    ui.data(&text)?;
    if found.iter().any(|entry| entry.status == Status::Untrusted) {
        ui.hint(&format!("to trust the project: {}", ui.command_for_all("trust")));
    }
    if let Some(command) = explanation.link.as_ref().and_then(|link| link_command(ui, link)) {
        ui.hint(&command);
    }
    Ok(ExitStatus::Done)
}

/// Writes the command that shows a skill to the first agent here that does not look where it is.
fn link_command(ui: &Ui, link: &LinkAdvice) -> Option<String> {
    let name = typed::word(&link.skill)?;
    // A host that does not see the skill cannot link it.
    let common = if link.seen_here { &ui.common } else { &typed::for_all(&ui.common) };
    Some(typed::command(common, "link", Some(&name), &format!("--into {}", link.into)))
}

/// Says where a skill is that the host in question does not find.
fn unseen_text(ui: &Ui, settings: &PlaceSettings, subject: &str, elsewhere: &FoundElsewhere) -> String {
    let title = safe(&settings.view.host.title);
    let heading = format!("{}: not found by {title}", paint(Role::Strong, &safe(subject)));
    let mut text = format!("{}\n\n", fill("", &heading, ui.width));
    for (folder, scope) in &elsewhere.folders {
        let place = paths::short(&settings.workspace, folder);
        let _ = writeln!(text, "{}", fill("  ", &format!("{place}  {}", scope.as_str()), ui.width));
    }
    let lead = format!("  {title}: ");
    let _ = writeln!(text, "\n{}", fill(&lead, &elsewhere.reason, ui.width));
    text
}

fn found_text(ui: &Ui, settings: &PlaceSettings, subject: &str, catalog: &Catalog, found: &[&Entry]) -> String {
    let counting = found.iter().filter(|entry| entry.is_active()).count();
    let verb = if counting == 1 { "counts" } else { "count" };
    let heading = format!("{}: {} found, {counting} {verb}", paint(Role::Strong, &safe(subject)), found.len());
    let mut text = format!("{}\n\n", fill("", &heading, ui.width));
    let status = |entry: &&Entry| if entry.is_active() { "counts" } else { entry.status.as_str() };
    let places: Vec<String> = found.iter().map(|entry| paths::short(&settings.workspace, entry.dir())).collect();
    let (first, second) = (widest(found.iter().map(status), 12), widest(places.iter().map(String::as_str), 44));
    for (entry, place) in found.iter().zip(&places) {
        let role = if entry.is_active() { Role::Good } else { Role::Warning };
        let lead = format!("  {}  ", paint(role, &pad(status(entry), first)));
        let line = format!("{}  {}", pad(place, second), detail(settings, catalog, entry));
        let _ = writeln!(text, "{}", fill(&lead, &line, ui.width));
        if let Some(reason) = &entry.reason {
            let why = format!("{} [{}]", safe(&paths::abbreviate_home(&settings.workspace, &reason.text)), reason.code);
            let _ = writeln!(text, "{}", fill(&" ".repeat(first + 4), &why, ui.width));
        }
    }
    text
}

/// Says what other hosts make of a skill: those that are here, and all if asked to say more or if none is here.
fn hosts_text(ui: &Ui, subject: &str, all: &[(&HostOutcome, bool)]) -> String {
    let shows_all = ui.common.verbose || all.iter().all(|(_, here)| !here);
    let shown: Vec<&HostOutcome> =
        all.iter().filter(|(_, here)| shows_all || *here).map(|(outcome, _)| *outcome).collect();
    let mut text = "\nIn other agents\n".to_owned();
    let titles: Vec<String> = shown.iter().map(|outcome| safe(&outcome.title)).collect();
    let first = widest(titles.iter().map(String::as_str), 20);
    for (outcome, title) in shown.iter().zip(&titles) {
        let seen =
            if outcome.seen { paint(Role::Good, &pad("seen", 8)) } else { paint(Role::Warning, &pad("not seen", 8)) };
        let lead = format!("  {}  {seen}  ", pad(&cut(title, first), first));
        let _ = writeln!(text, "{}", fill(&lead, &outcome.detail, ui.width));
    }
    if shown.len() < all.len() {
        let more = typed::command(&ui.common, "explain", typed::word(subject).as_deref(), "-v");
        let line = format!("  and {}: {more}", count(all.len() - shown.len(), "more host"));
        // A command that is broken in two cannot be copied.
        let fits = ui.width.is_none_or(|width| line.width() <= width);
        let _ = writeln!(text, "{}", if fits { line } else { line.replace(&more, "the same with -v") });
    }
    text
}

fn detail(settings: &PlaceSettings, catalog: &Catalog, entry: &Entry) -> String {
    let scope = entry.skill.scope;
    let provider = catalog.roots[entry.root].root.rule.provider.as_deref();
    let notes = [
        (scope == SkillScope::Repo && settings.view.around.trusted, "trusted"),
        (entry.is_active() && !entry.model, "you only"),
        (entry.is_active() && !entry.user, "model only"),
    ];
    let notes = notes.into_iter().filter_map(|(holds, note)| holds.then_some(note));
    [scope.as_str()].into_iter().chain(provider).chain(notes).collect::<Vec<_>>().join(", ")
}
