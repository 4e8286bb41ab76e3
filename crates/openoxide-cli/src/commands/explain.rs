//! `explain`: why a skill does or does not count, here and in each other host; or what a code means.

use std::fmt::Write as _;

use openoxide_config::find_host;
use openoxide_skills::{Catalog, Code, Depth, Entry, SkillScope, Standing, View, entry_costs, load};
use openoxide_wire::{ExplainAnswer, HostOutcome, OtherLine, SchemaVersion, SkillLine};

use crate::ExitStatus;
use crate::args::Common;
use crate::commands::link::{unseen, would_drop};
use crate::error::Told;
use crate::paths;
use crate::session::Session;
use crate::table::{cut, fill, pad, widest};
use crate::typed;
use crate::ui::{Role, Ui, paint, safe};

/// Explain why a skill does or does not count, or what a code means
///
/// Takes a skill's name or path, or a code such as S0102 that `check` or `list` printed.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// A skill's name or path, or a code
    #[arg(value_name = "SKILL|CODE")]
    subject: String,
}

pub(crate) fn explain(ui: &Ui, common: &Common, args: &ExplainArgs) -> anyhow::Result<ExitStatus> {
    if let Some(code) = Code::parse(&args.subject) {
        ui.data(page(code))?;
        return Ok(ExitStatus::Done);
    }
    if is_code(&args.subject) {
        let list = typed::command(common, "list --all", None, "");
        let hint =
            format!("`{}` and `{list}` print the codes that there are", typed::command(common, "check", None, ""));
        return Err(Told::no(format!("there is no code `{}`", args.subject)).hint(hint).into());
    }
    let session = Session::open(ui, common)?;
    let mut views = vec![session.view.clone()];
    views.extend(session.workspace.views()?.into_iter().filter(|view| view.spec.name != session.view.spec.name));
    let catalogs = load(&views, Depth::Thorough);
    let (own, others) = catalogs.split_first().ok_or_else(|| anyhow::anyhow!("no host was looked at"))?;
    let found = match session.find(own, &args.subject) {
        Ok(found) => found,
        Err(told) if others.iter().all(|catalog| session.find(catalog, &args.subject).is_err()) => {
            return Err(told.into());
        }
        Err(_) => Vec::new(),
    };
    let outcomes: Vec<HostOutcome> =
        others.iter().zip(&views[1..]).map(|(catalog, view)| outcome(&session, catalog, view, &args.subject)).collect();
    if common.json {
        ui.json(&answer(&session, own, &args.subject, &found, outcomes))?;
        return Ok(ExitStatus::Done);
    }
    session.warn(ui);
    ui.data(&text(ui, &session, own, &args.subject, &found, &outcomes))?;
    if found.iter().any(|entry| entry.standing == Standing::Untrusted) {
        ui.hint(&format!("to trust the project: {}", session.command_for_all("trust")));
    }
    if let Some(entry) = found.iter().find(|entry| entry.is_active())
        && let Some(command) = linking(&session, common, own, entry, others.iter().zip(&views[1..]))
    {
        ui.hint(&command);
    }
    Ok(ExitStatus::Done)
}

/// Returns the command that shows a skill to the first agent here that does not look where it is.
fn linking<'v>(
    session: &Session,
    common: &Common,
    own: &Catalog,
    entry: &Entry,
    mut others: impl Iterator<Item = (&'v Catalog, &'v View)>,
) -> Option<String> {
    let name = typed::word(&entry.skill.name)?;
    let misses = |catalog: &Catalog, view: &View| {
        let mut unseen = unseen(&session.workspace, own, view, catalog).into_iter();
        unseen.any(|(other, step)| std::ptr::eq(other, entry) && step.is_ok_and(|step| step.is_free()))
            && would_drop(view, entry).is_none()
    };
    let is_here = |view: &View| !find_host(&view.host, &view.around).is_empty();
    let (_, view) = others.find(|(catalog, view)| is_here(view) && misses(catalog, view))?;
    Some(typed::command(common, "link", Some(&name), &format!("--into {}", view.spec.id())))
}

/// Tells whether something looks like a code.
fn is_code(subject: &str) -> bool {
    subject.len() == 5 && subject.starts_with('S') && subject[1..].bytes().all(|byte| byte.is_ascii_digit())
}

fn answer(
    session: &Session,
    catalog: &Catalog,
    name: &str,
    found: &[&Entry],
    hosts: Vec<HostOutcome>,
) -> ExplainAnswer {
    let (counts, others): (Vec<&Entry>, Vec<&Entry>) = found.iter().partition(|entry| entry.is_active());
    let costs = entry_costs(&session.view, catalog, counts.iter().copied());
    ExplainAnswer {
        schema: SchemaVersion::default(),
        host: catalog.host.clone(),
        name: name.to_owned(),
        counts: counts.iter().zip(&costs.each).map(|(entry, cost)| SkillLine::new(catalog, entry, *cost)).collect(),
        others: others.into_iter().map(|entry| OtherLine::new(catalog, entry)).collect(),
        hosts,
    }
}

/// Says what another host makes of a skill.
fn outcome(session: &Session, catalog: &Catalog, view: &View, subject: &str) -> HostOutcome {
    let found = session.find(catalog, subject).unwrap_or_default();
    let active: Vec<&&Entry> = found.iter().filter(|entry| entry.is_active()).collect();
    let place = |entry: &Entry| paths::short(&session.workspace, entry.dir());
    let detail = match active.as_slice() {
        [] => match found.first() {
            Some(entry) => {
                let reason = entry.reason.as_ref().map_or("", |reason| reason.text.as_str());
                format!("{}: {}", entry.standing.as_str(), safe(&paths::homely(&session.workspace, reason)))
            }
            None if view.roots.is_empty() => "its settings name no folder to look in".to_owned(),
            None => format!("it looks only in {}", looks_in(session, view)),
        },
        [one] => place(one),
        many => format!("{} of them, so the name alone is ambiguous", many.len()),
    };
    HostOutcome {
        host: catalog.host.clone(),
        title: view.host.title.clone(),
        seen: !active.is_empty(),
        detail,
        paths: active.iter().map(|entry| entry.skill.path.to_string_lossy().into_owned()).collect(),
    }
}

/// Names the folders that a host looks in, as people know them.
fn looks_in(session: &Session, view: &View) -> String {
    let mut names: Vec<String> = Vec::new();
    for rule in view.host.roots.iter().filter(|rule| rule.listed.is_none() && rule.layout.is_none()) {
        let walked = rule.path.strip_prefix('{').and_then(|rest| rest.split_once("}/"));
        let name = match walked {
            Some((name, _)) if view.host.vars.contains_key(name) && rule.scope == SkillScope::User => {
                let expanded = view.around.expand(&rule.path, &view.host.vars);
                expanded.map_or_else(String::new, |path| paths::short(&session.workspace, &path))
            }
            Some((_, rest)) => rest.to_owned(),
            None => rule.path.clone(),
        };
        let is_of_project = walked.is_some_and(|(walk, _)| matches!(walk, "cwd" | "project"));
        let is_folder = name.starts_with(['.', '~', '/']) && matches!(rule.scope, SkillScope::Repo | SkillScope::User);
        if (is_folder || is_of_project) && !names.contains(&name) {
            names.push(name);
        }
    }
    safe(&names.join(", "))
}

fn text(
    ui: &Ui,
    session: &Session,
    catalog: &Catalog,
    subject: &str,
    found: &[&Entry],
    outcomes: &[HostOutcome],
) -> String {
    let counting = found.iter().filter(|entry| entry.is_active()).count();
    let verb = if counting == 1 { "counts" } else { "count" };
    let heading = format!("{}: {} found, {counting} {verb}", paint(Role::Strong, &safe(subject)), found.len());
    let mut text = format!("{}\n\n", fill("", &heading, ui.width()));
    let standing =
        |entry: &Entry| if entry.is_active() { "counts".to_owned() } else { entry.standing.as_str().to_owned() };
    let standings: Vec<String> = found.iter().map(|entry| standing(entry)).collect();
    let places: Vec<String> = found.iter().map(|entry| paths::short(&session.workspace, entry.dir())).collect();
    let (first, second) =
        (widest(standings.iter().map(String::as_str), 12), widest(places.iter().map(String::as_str), 44));
    for ((entry, standing), place) in found.iter().zip(&standings).zip(&places) {
        let role = if entry.is_active() { Role::Good } else { Role::Warning };
        let lead = format!("  {}  ", paint(role, &pad(standing, first)));
        let line = format!("{}  {}", pad(place, second), detail(session, catalog, entry));
        let _ = writeln!(text, "{}", fill(&lead, &line, ui.width()));
        if let Some(reason) = &entry.reason {
            let why = format!("{} [{}]", safe(&paths::homely(&session.workspace, &reason.text)), reason.code);
            let _ = writeln!(text, "{}", fill(&" ".repeat(first + 4), &why, ui.width()));
        }
    }
    if found.is_empty() {
        let _ = writeln!(text, "  {} does not look where it is", safe(&session.view.host.title));
    }
    text.push_str("\nIn other agents\n");
    let titles: Vec<String> = outcomes.iter().map(|outcome| safe(&outcome.title)).collect();
    let first = widest(titles.iter().map(String::as_str), 20);
    for (outcome, title) in outcomes.iter().zip(&titles) {
        let seen =
            if outcome.seen { paint(Role::Good, &pad("seen", 8)) } else { paint(Role::Warning, &pad("not seen", 8)) };
        let lead = format!("  {}  {seen}  ", pad(&cut(title, first), first));
        let _ = writeln!(text, "{}", fill(&lead, &outcome.detail, ui.width()));
    }
    text
}

/// Says whose an entry is, and who may call it.
fn detail(session: &Session, catalog: &Catalog, entry: &Entry) -> String {
    let mut detail = entry.skill.scope.as_str().to_owned();
    if let Some(provider) = &catalog.roots[entry.root].root.provider {
        let _ = write!(detail, ", {provider}");
    }
    if entry.skill.scope == SkillScope::Repo && session.view.around.trusted {
        detail.push_str(", trusted");
    }
    if entry.is_active() && !entry.model {
        detail.push_str(", you only");
    }
    if entry.is_active() && !entry.user {
        detail.push_str(", model only");
    }
    detail
}

/// Returns the page of a code.
fn page(code: Code) -> &'static str {
    PAGES.iter().find(|(name, _)| *name == code.as_str()).map_or("", |(_, page)| page)
}

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_with_its_title() {
        for code in Code::ALL {
            let heading = format!("# {code}: {}\n", code.title());
            assert!(page(*code).starts_with(&heading), "docs/diagnostics/{code}.md must begin with {heading:?}");
        }
        assert_eq!(PAGES.len(), Code::ALL.len());
    }
}
