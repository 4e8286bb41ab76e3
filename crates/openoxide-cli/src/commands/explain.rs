//! `explain`: why a skill does or does not count, here and in each other host; or what a code means.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use openoxide_app::Status;
use openoxide_app::explain::{Explanation, FoundElsewhere, FoundSkill};
use openoxide_app::paths;
use openoxide_wire::HostOutcome;
use unicode_width::UnicodeWidthStr as _;

use crate::args::Common;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::table::{cut, fill, pad, widest};
use crate::typed;
use crate::ui::{Role, Ui, count, paint, safe};

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

pub(crate) fn explain(ui: &Ui, common: &Common, args: &ExplainArgs) -> anyhow::Result<ExitStatus> {
    if let Some(page) = openoxide_app::explain::page(&args.subject)? {
        match ui.width() {
            Some(width) if std::io::stdout().is_terminal() => ui.data(&page::readable(page, width))?,
            _ => ui.data(page)?,
        }
        return Ok(ExitStatus::Done);
    }
    let session = Session::open(ui, common)?;
    let explanation = openoxide_app::explain::explain(&session, &args.subject)?;
    if common.json {
        ui.json(&explanation.answer)?;
        return Ok(ExitStatus::Done);
    }
    session.warn(ui);
    let mut text = match &explanation.elsewhere {
        Some(elsewhere) => unseen_text(ui, &session, &args.subject, elsewhere),
        None => found_text(ui, &session, &args.subject, &explanation.found),
    };
    let hosts: Vec<(&HostOutcome, bool)> =
        explanation.answer.hosts.iter().zip(explanation.here.iter().copied()).collect();
    text.push_str(&hosts_text(ui, common, &args.subject, &hosts));
    ui.data(&text)?;
    if explanation.found.iter().any(|skill| skill.status == Status::Untrusted) {
        ui.hint(&format!("to trust the project: {}", session.command_for_all("trust")));
    }
    if let Some(command) = link_command(common, &explanation) {
        ui.hint(&command);
    }
    Ok(ExitStatus::Done)
}

/// Writes the command that shows a skill to the first agent here that does not look where it is.
fn link_command(common: &Common, explanation: &Explanation) -> Option<String> {
    let link = explanation.link.as_ref()?;
    let name = typed::word(&link.skill)?;
    // A host that does not see the skill cannot link it.
    let common = if link.seen_here { common } else { &typed::for_all(common) };
    Some(typed::command(common, "link", Some(&name), &format!("--into {}", link.into)))
}

/// Says where a skill is that the host in question does not find.
fn unseen_text(ui: &Ui, session: &Session, subject: &str, elsewhere: &FoundElsewhere) -> String {
    let title = safe(&session.view.host.title);
    let heading = format!("{}: not found by {title}", paint(Role::Strong, &safe(subject)));
    let mut text = format!("{}\n\n", fill("", &heading, ui.width()));
    for (folder, scope) in &elsewhere.folders {
        let place = paths::short(&session.workspace, folder);
        let _ = writeln!(text, "{}", fill("  ", &format!("{place}  {}", scope.as_str()), ui.width()));
    }
    let lead = format!("  {title}: ");
    let _ = writeln!(text, "\n{}", fill(&lead, &elsewhere.reason, ui.width()));
    text
}

/// Says what was found, and what counts.
fn found_text(ui: &Ui, session: &Session, subject: &str, found: &[FoundSkill]) -> String {
    let active = |skill: &FoundSkill| skill.status == Status::Active;
    let counting = found.iter().filter(|skill| active(skill)).count();
    let verb = if counting == 1 { "counts" } else { "count" };
    let heading = format!("{}: {} found, {counting} {verb}", paint(Role::Strong, &safe(subject)), found.len());
    let mut text = format!("{}\n\n", fill("", &heading, ui.width()));
    let status = |skill: &FoundSkill| if active(skill) { "counts" } else { skill.status.as_str() };
    let places: Vec<String> = found.iter().map(|skill| paths::short(&session.workspace, &skill.folder)).collect();
    let (first, second) = (widest(found.iter().map(status), 12), widest(places.iter().map(String::as_str), 44));
    for (skill, place) in found.iter().zip(&places) {
        let role = if active(skill) { Role::Good } else { Role::Warning };
        let lead = format!("  {}  ", paint(role, &pad(status(skill), first)));
        let line = format!("{}  {}", pad(place, second), detail(skill));
        let _ = writeln!(text, "{}", fill(&lead, &line, ui.width()));
        if let Some(reason) = &skill.reason {
            let why = format!("{} [{}]", safe(&paths::abbreviate_home(&session.workspace, &reason.text)), reason.code);
            let _ = writeln!(text, "{}", fill(&" ".repeat(first + 4), &why, ui.width()));
        }
    }
    text
}

/// Says what other hosts make of a skill: those that are here, and all if asked to say more or if none is here.
fn hosts_text(ui: &Ui, common: &Common, subject: &str, all: &[(&HostOutcome, bool)]) -> String {
    let shows_all = common.verbose || all.iter().all(|(_, here)| !here);
    let shown: Vec<&HostOutcome> =
        all.iter().filter(|(_, here)| shows_all || *here).map(|(outcome, _)| *outcome).collect();
    let mut text = "\nIn other agents\n".to_owned();
    let titles: Vec<String> = shown.iter().map(|outcome| safe(&outcome.title)).collect();
    let first = widest(titles.iter().map(String::as_str), 20);
    for (outcome, title) in shown.iter().zip(&titles) {
        let seen =
            if outcome.seen { paint(Role::Good, &pad("seen", 8)) } else { paint(Role::Warning, &pad("not seen", 8)) };
        let lead = format!("  {}  {seen}  ", pad(&cut(title, first), first));
        let _ = writeln!(text, "{}", fill(&lead, &outcome.detail, ui.width()));
    }
    if shown.len() < all.len() {
        let more = typed::command(common, "explain", typed::word(subject).as_deref(), "-v");
        let line = format!("  and {}: {more}", count(all.len() - shown.len(), "more host"));
        // A command that is broken in two cannot be copied.
        let fits = ui.width().is_none_or(|width| line.width() <= width);
        let _ = writeln!(text, "{}", if fits { line } else { line.replace(&more, "the same with -v") });
    }
    text
}

/// Says whose a skill is, and who may call it.
fn detail(skill: &FoundSkill) -> String {
    let mut detail = skill.scope.as_str().to_owned();
    if let Some(provider) = &skill.provider {
        let _ = write!(detail, ", {provider}");
    }
    let is_active = skill.status == Status::Active;
    let notes = [
        (skill.is_trusted, ", trusted"),
        (is_active && !skill.model, ", you only"),
        (is_active && !skill.user, ", model only"),
    ];
    notes.iter().filter(|(holds, _)| *holds).for_each(|(_, note)| detail.push_str(note));
    detail
}
