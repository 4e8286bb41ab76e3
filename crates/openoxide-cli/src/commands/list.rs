//! `list`: the skills that count, and what they cost.

use std::fmt::Write as _;

use openoxide_skills::catalog::{Catalog, Depth, Entry};
use openoxide_skills::diagnostic::Code;
use openoxide_skills::render::{BudgetUnit, EntryCosts, Model, catalog_budget, entry_costs};
use openoxide_wire::ListAnswer;

use crate::ExitStatus;
use crate::args::Common;
use crate::commands::remote;
use crate::paths;
use crate::session::Session;
use crate::table::{cut, fill, pad, pad_left, widest};
use crate::ui::{Role, Ui, count, grouped, paint, safe};
use openoxide_app::off::skills_off;

/// List the skills that count, with scope, description and cost
///
/// With `--all`, also everything below the roots that does not count, and why. `--json` always has both. Without `--mcp`,
/// nothing is started or asked over the network.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Also list what does not count, and why
    #[arg(long)]
    all: bool,
    /// Also ask the MCP servers of your settings for the skills that they offer [config: mcp.servers]
    #[arg(long)]
    mcp: bool,
}

pub(crate) fn list(ui: &Ui, common: &Common, args: &ListArgs) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    let depth = if args.all || common.json { Depth::Thorough } else { Depth::Quick };
    let catalog = session.catalog(depth);
    let costs = entry_costs(&session.view, &catalog, &catalog.skills);
    let offered = args.mcp.then(|| remote::ask(&session)).transpose()?;
    if common.json {
        let mut answer = ListAnswer::new(&catalog, &costs.each);
        if let Some(offered) = offered {
            (answer.remote, answer.remote_problems) = (Some(offered.skills), offered.problems);
        }
        ui.json(&answer)?;
        return Ok(ExitStatus::Done);
    }
    session.warn(ui);
    ui.data(&skills_text(ui, &session, &catalog, &costs.each))?;
    if args.all {
        ui.data(&others_text(ui, &session, &catalog))?;
        ui.data(&places_text(ui, &session, &catalog))?;
    }
    if let Some(offered) = &offered {
        remote::show_list(ui, offered)?;
    }
    for limit in &catalog.limits {
        let root = paths::short(&session.workspace, &limit.root);
        ui.warn(&format!("{root}: {} ({}) [{}]", limit.code.title(), grouped(limit.limit as u64), limit.code));
    }
    ui.say(&summary(&session, &catalog, &costs, args.all));
    if let Some(offered) = &offered {
        ui.say(&remote::summary(offered));
    }
    Ok(ExitStatus::Done)
}

fn skills_text(ui: &Ui, session: &Session, catalog: &Catalog, costs: &[u64]) -> String {
    let scopes = widest(catalog.skills.iter().map(|entry| entry.skill.scope.as_str()), 8);
    let names: Vec<String> = catalog.skills.iter().map(|entry| safe(&entry.skill.name)).collect();
    // On a narrow terminal a name may take a third of the line.
    let width = widest(names.iter().map(String::as_str), ui.width().map_or(32, |all| (all / 3).min(32)));
    let costs: Vec<String> = costs.iter().map(|cost| format!("{} tok", grouped(*cost))).collect();
    let cost_width = widest(costs.iter().map(String::as_str), 12);
    let mut text = String::new();
    for ((entry, name), cost) in catalog.skills.iter().zip(&names).zip(&costs) {
        let note = note(session, entry);
        let scope = paint(Role::Dim, &pad(entry.skill.scope.as_str(), scopes));
        let description = safe(&entry.skill.description);
        let room = ui.width().map(|all| {
            let note = if note.is_empty() { 0 } else { note.chars().count() + 2 };
            let taken = scopes + width + cost_width + 6;
            // A note that leaves no room for the description stands below.
            let beside = all.saturating_sub(taken + note);
            if beside >= 10 { beside } else { all.saturating_sub(taken).max(10) }
        });
        let below = room.is_some_and(|room| {
            ui.width().is_some_and(|all| scopes + width + cost_width + 8 + room + note.chars().count() > all)
        });
        let description = room.map_or_else(|| description.clone(), |room| pad(&cut(&description, room), room));
        let _ = write!(
            text,
            "{scope}  {}  {description}  {}",
            paint(Role::Strong, &pad(&ui.width().map_or_else(|| name.clone(), |_| cut(name, width)), width)),
            pad_left(cost, cost_width)
        );
        if !note.is_empty() {
            let lead = if below { format!("\n{}", " ".repeat(scopes + 2)) } else { "  ".to_owned() };
            let _ = write!(text, "{lead}{}", paint(Role::Warning, &note));
        }
        text.push('\n');
    }
    text
}

/// Says who may not call a skill, and what it still needs.
fn note(session: &Session, entry: &Entry) -> String {
    let mut notes = Vec::new();
    match (entry.model, entry.user) {
        (false, true) => notes.push("you only".to_owned()),
        (true, false) => notes.push("model only".to_owned()),
        _ => {}
    }
    let tools = entry.skill.dependencies.iter().flat_map(|all| &all.tools);
    for tool in tools.filter(|tool| tool.kind == "env_var") {
        if session.workspace.environment.variable(&tool.value).is_none() {
            notes.push(format!("needs {}", safe(&tool.value)));
        }
    }
    notes.join(", ")
}

fn others_text(ui: &Ui, session: &Session, catalog: &Catalog) -> String {
    let width = widest(catalog.others.iter().map(|entry| entry.status.as_str()), 10);
    let mut text = String::new();
    for entry in &catalog.others {
        let standing = paint(Role::Warning, &pad(entry.status.as_str(), width));
        let _ = writeln!(text, "{standing}  {}", paths::short(&session.workspace, entry.found()));
        if let Some(reason) = &entry.reason {
            let why = format!("{} [{}]", safe(&paths::abbreviate_home(&session.workspace, &reason.text)), reason.code);
            let _ = writeln!(text, "{}", fill(&" ".repeat(width + 2), &why, ui.width()));
        }
    }
    text
}

/// Lists what could not be searched: findings about places where no file was found.
fn places_text(ui: &Ui, session: &Session, catalog: &Catalog) -> String {
    let files: std::collections::HashSet<&std::path::Path> =
        catalog.entries().flat_map(|entry| [entry.skill.path.as_ref(), entry.found()]).collect();
    let mut text = String::new();
    for problem in catalog.problems.iter().filter(|problem| problem.diagnostic.code <= Code::IgnoredFolder) {
        if !files.contains(problem.path.as_path()) {
            let path = paths::short(&session.workspace, &problem.path);
            let _ = writeln!(text, "{}  {path}", paint(Role::Warning, "passed over"));
            let why = format!("{} [{}]", safe(&problem.diagnostic.message), problem.diagnostic.code);
            let _ = writeln!(text, "{}", fill(&" ".repeat(13), &why, ui.width()));
        }
    }
    text
}

fn summary(session: &Session, catalog: &Catalog, costs: &EntryCosts, all: bool) -> String {
    if catalog.skills.is_empty()
        && let Some(off) = skills_off(&session.workspace, &session.view)
    {
        return off.remedy();
    }
    if catalog.skills.is_empty() && catalog.others.is_empty() {
        let (roots, new) = (session.command("roots"), session.command_for_all("new NAME"));
        return format!("no skills found; `{roots}` shows where they are looked for, `{new}` makes one");
    }
    let mut text = count(catalog.skills.len(), "skill");
    let listed: u64 =
        catalog.skills.iter().zip(&costs.each).filter(|(entry, _)| entry.model).map(|(_, cost)| cost).sum();
    let listed = listed + costs.besides;
    let room = catalog_budget(&session.view, Model::default()).map(|(room, unit)| match unit {
        BudgetUnit::Tokens => room,
        BudgetUnit::Characters => room / 4,
    });
    let _ = match room {
        Some(room) => write!(text, ", {} of {} tokens", grouped(listed), grouped(room)),
        None => write!(text, ", {} token{}", grouped(listed), if listed == 1 { "" } else { "s" }),
    };
    match catalog.others.len() {
        0 => {}
        others if all => drop(write!(
            text,
            "; {} more, which {} not count",
            grouped(others as u64),
            if others == 1 { "does" } else { "do" }
        )),
        others => drop(write!(
            text,
            "; {others} more {} not count: {}",
            if others == 1 { "does" } else { "do" },
            session.command("list --all")
        )),
    }
    text
}
