//! `explain`: why a skill does or does not count, here and in each other host; or what a code means.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;

use openoxide_config::detect_host;
use openoxide_skills::catalog::{Catalog, Depth, Entry, Status, View, load};
use openoxide_skills::diagnostic::Code;
use openoxide_skills::host::{Layout, RootRule};
use openoxide_skills::render::entry_costs;
use openoxide_skills::skill::SkillScope;
use openoxide_wire::{ExplainAnswer, HostOutcome, OtherLine, SchemaVersion, SkillLine};
use unicode_width::UnicodeWidthStr as _;

use crate::ExitStatus;
use crate::args::Common;
use crate::commands::link::{unseen, would_drop};
use crate::error::Told;
use crate::paths;
use crate::session::Session;
use crate::table::{cut, fill, pad, widest};
use crate::typed;
use crate::ui::{Role, Ui, count, paint, safe};
use openoxide_app::off::skills_off;

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
    if let Some(code) = Code::parse(&args.subject) {
        match ui.width() {
            Some(width) if std::io::stdout().is_terminal() => ui.data(&page::readable(page(code), width))?,
            _ => ui.data(page(code))?,
        }
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
    let everywhere = Everywhere::new(&session, &catalogs, &views, &args.subject);
    let outcomes: Vec<HostOutcome> =
        others.iter().zip(&views[1..]).map(|(catalog, view)| outcome(&everywhere, catalog, view)).collect();
    if common.json {
        ui.json(&answer(&session, own, &args.subject, &found, outcomes))?;
        return Ok(ExitStatus::Done);
    }
    session.warn(ui);
    let mut text = match found.is_empty() {
        true => unseen_text(ui, &everywhere),
        false => found_text(ui, &session, own, &args.subject, &found),
    };
    let shown: Vec<(&HostOutcome, bool)> = outcomes.iter().zip(views[1..].iter().map(is_here)).collect();
    text.push_str(&hosts_text(ui, common, &args.subject, &shown));
    ui.data(&text)?;
    if found.iter().any(|entry| entry.status == Status::Untrusted) {
        ui.hint(&format!("to trust the project: {}", session.command_for_all("trust")));
    }
    if let Some(command) = everywhere.linking(common, &found) {
        ui.hint(&command);
    }
    Ok(ExitStatus::Done)
}

/// Tells whether a host's program is on this machine, or configured in this project.
fn is_here(view: &View) -> bool {
    !detect_host(&view.host, &view.around).is_empty()
}

/// What all hosts make of a skill, the one that was asked for first.
struct Everywhere<'e> {
    session: &'e Session,
    subject: &'e str,
    hosts: Vec<(&'e Catalog, &'e View)>,
    /// Each file that some host finds, with the catalog that it is from; what counts somewhere first.
    found: Vec<(&'e Catalog, &'e Entry)>,
}

impl<'e> Everywhere<'e> {
    fn new(session: &'e Session, catalogs: &'e [Catalog], views: &'e [View], subject: &'e str) -> Everywhere<'e> {
        let of = |catalog: &'e Catalog| {
            let found = session.find(catalog, subject).unwrap_or_default();
            found.into_iter().map(move |entry| (catalog, entry))
        };
        let mut found: Vec<(&Catalog, &Entry)> = catalogs.iter().flat_map(of).collect();
        found.sort_by_key(|(_, entry)| !entry.is_active());
        let mut known = BTreeSet::new();
        found.retain(|(_, entry)| known.insert(entry.canonical()));
        Everywhere { session, subject, hosts: catalogs.iter().zip(views).collect(), found }
    }

    /// Returns the command that shows a skill to the first agent here that does not look where it is.
    fn linking(&self, common: &Common, own: &[&Entry]) -> Option<String> {
        let (source, entry) = match own.iter().find(|entry| entry.is_active()) {
            Some(entry) => (self.hosts.first()?.0, *entry),
            None if own.is_empty() => *self.found.iter().find(|(_, entry)| entry.is_active())?,
            None => return None,
        };
        let name = typed::word(&entry.skill.name)?;
        let workspace = &self.session.workspace;
        let misses = |catalog: &Catalog, view: &View| {
            let mut unseen = unseen(workspace, source, view, catalog).into_iter();
            unseen.any(|(other, step)| std::ptr::eq(other, entry) && step.is_ok_and(|step| step.is_free()))
                && would_drop(view, entry).is_none()
        };
        let (_, view) = self.hosts.iter().find(|(catalog, view)| is_here(view) && misses(catalog, view))?;
        // Who does not see the skill cannot show it to anybody.
        let common = if own.is_empty() { &typed::for_all(common) } else { common };
        Some(typed::command(common, "link", Some(&name), &format!("--into {}", view.spec.id())))
    }

    /// Says why a host does not find the skill at all.
    fn missing(&self, view: &View) -> String {
        let workspace = &self.session.workspace;
        if let Some(off) = skills_off(workspace, view) {
            return off.to_string();
        }
        let is_file =
            |entry: &Entry| !entry.found().file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        let mut folders =
            self.found.iter().filter(|(_, entry)| is_file(entry)).filter_map(|(_, entry)| entry.found().parent());
        let reads = |folder: &Path| view.roots.iter().any(|root| root.path == folder && !root.scan.layout.is_flat());
        match folders.find(|folder| reads(folder)) {
            Some(folder) => {
                format!("it is a single file, and {} is searched for folders", paths::short(workspace, folder))
            }
            None if view.roots.is_empty() => "its settings name no folder to look in".to_owned(),
            None => format!("it looks only in {}", looks_in(self.session, view)),
        }
    }
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
        active: counts.iter().zip(&costs.each).map(|(entry, cost)| SkillLine::new(catalog, entry, *cost)).collect(),
        others: others.into_iter().map(|entry| OtherLine::new(catalog, entry)).collect(),
        hosts,
    }
}

/// Says what another host makes of a skill.
fn outcome(everywhere: &Everywhere<'_>, catalog: &Catalog, view: &View) -> HostOutcome {
    let session = everywhere.session;
    let found = session.find(catalog, everywhere.subject).unwrap_or_default();
    let active: Vec<&&Entry> = found.iter().filter(|entry| entry.is_active()).collect();
    let place = |entry: &Entry| paths::short(&session.workspace, entry.dir());
    let detail = match active.as_slice() {
        [] => match found.first() {
            Some(entry) => {
                let reason = entry.reason.as_ref().map_or("", |reason| reason.text.as_str());
                format!("{}: {}", entry.status.as_str(), safe(&paths::abbreviate_home(&session.workspace, reason)))
            }
            None => everywhere.missing(view),
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
    let mut rules: Vec<&RootRule> = view.host.roots.iter().filter(|rule| rule.listed.is_none()).collect();
    rules.retain(|rule| matches!(rule.layout, None | Some(Layout::Files)));
    // A folder that is searched in both ways is named once.
    rules.sort_by_key(|rule| rule.layout.is_some());
    for rule in rules {
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

/// Says where a skill is that the host in question does not find.
fn unseen_text(ui: &Ui, everywhere: &Everywhere<'_>) -> String {
    let session = everywhere.session;
    let title = safe(&session.view.host.title);
    let heading = format!("{}: not found by {title}", paint(Role::Strong, &safe(everywhere.subject)));
    let mut text = format!("{}\n\n", fill("", &heading, ui.width()));
    for (_, entry) in &everywhere.found {
        let place = paths::short(&session.workspace, entry.dir());
        let _ = writeln!(text, "{}", fill("  ", &format!("{place}  {}", entry.skill.scope.as_str()), ui.width()));
    }
    let lead = format!("  {title}: ");
    let _ = writeln!(text, "\n{}", fill(&lead, &everywhere.missing(&session.view), ui.width()));
    text
}

/// Says what was found, and what counts.
fn found_text(ui: &Ui, session: &Session, catalog: &Catalog, subject: &str, found: &[&Entry]) -> String {
    let counting = found.iter().filter(|entry| entry.is_active()).count();
    let verb = if counting == 1 { "counts" } else { "count" };
    let heading = format!("{}: {} found, {counting} {verb}", paint(Role::Strong, &safe(subject)), found.len());
    let mut text = format!("{}\n\n", fill("", &heading, ui.width()));
    let standing =
        |entry: &Entry| if entry.is_active() { "counts".to_owned() } else { entry.status.as_str().to_owned() };
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
