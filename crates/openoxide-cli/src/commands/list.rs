//! `list`: the skills that count, and what they cost.

use std::fmt::Write as _;

use openoxide_app::list::{ListedSkill, Listing};
use openoxide_app::{Audience, Catalog, Depth, Snapshot, paths};

use crate::table::{cut, fill, pad, pad_left, widest};
use crate::ui::{ExitStatus, Role, Ui, count, grouped, only_caller, paint, safe};
use crate::{commands::remote, session::search};

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

pub(crate) fn list(ui: &Ui, args: &ListArgs) -> anyhow::Result<ExitStatus> {
    let depth = if args.all || ui.common.json { Depth::Thorough } else { Depth::Quick };
    let snapshot = search(ui, depth)?;
    let listing = openoxide_app::list::list(&snapshot, Audience::Person)?;
    let offered = args.mcp.then(|| remote::ask(ui, &snapshot)).transpose()?;
    if ui.common.json {
        let mut answer = listing.answer();
        if let Some(offered) = offered {
            (answer.remote, answer.remote_problems) = (Some(offered.skills), offered.problems);
        }
        ui.json(&answer)?;
        return Ok(ExitStatus::Done);
    }
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    ui.data(&skills_text(ui, &listing))?;
    if args.all {
        ui.data(&others_text(ui, &snapshot, listing.catalog))?;
        ui.data(&places_text(ui, &snapshot, &listing))?;
    }
    if let Some(offered) = &offered {
        remote::show_list(ui, offered)?;
    }
    for limit in &listing.catalog.limits {
        let root = paths::short(&snapshot.workspace, &limit.root);
        ui.warn(&format!("{root}: {} ({}) [{}]", limit.code.title(), grouped(limit.limit as u64), limit.code));
    }
    ui.say(&summary(ui, &listing, args.all));
    if let Some(offered) = &offered {
        ui.say(&remote::summary(offered));
    }
    Ok(ExitStatus::Done)
}

fn skills_text(ui: &Ui, listing: &Listing<'_>) -> String {
    let scopes = widest(listing.skills.iter().map(|skill| skill.entry.skill.scope.as_str()), 8);
    let names: Vec<String> = listing.skills.iter().map(|skill| safe(&skill.entry.skill.name)).collect();
    // On a narrow terminal a name may take a third of the line.
    let width = widest(names.iter().map(String::as_str), ui.width.map_or(32, |all| (all / 3).min(32)));
    let costs: Vec<String> = listing.skills.iter().map(|skill| format!("{} tok", grouped(skill.cost))).collect();
    let cost_width = widest(costs.iter().map(String::as_str), 12);
    let mut text = String::new();
    for ((skill, name), cost) in listing.skills.iter().zip(&names).zip(&costs) {
        let (entry, note) = (skill.entry, note(skill));
        let scope = paint(Role::Dim, &pad(entry.skill.scope.as_str(), scopes));
        let description = safe(&entry.skill.description);
        let room = ui.width.map(|all| {
            let left = all.saturating_sub(scopes + width + cost_width + 6);
            (left, left.saturating_sub(if note.is_empty() { 0 } else { note.chars().count() + 2 }))
        });
        // A note that leaves no room for the description stands below.
        let below = room.is_some_and(|(_, beside)| beside < 10);
        let room = room.map(|(left, beside)| if below { left.max(10) } else { beside });
        let description = room.map_or_else(|| description.clone(), |room| pad(&cut(&description, room), room));
        let name = ui.width.map_or_else(|| name.clone(), |_| cut(name, width));
        let (name, cost) = (paint(Role::Strong, &pad(&name, width)), pad_left(cost, cost_width));
        let _ = write!(text, "{scope}  {name}  {description}  {cost}");
        if !note.is_empty() {
            let lead = if below { format!("\n{}", " ".repeat(scopes + 2)) } else { "  ".to_owned() };
            let _ = write!(text, "{lead}{}", paint(Role::Warning, &note));
        }
        text.push('\n');
    }
    text
}

fn note(skill: &ListedSkill<'_>) -> String {
    let caller = only_caller(skill.entry.model, skill.entry.user).map(str::to_owned);
    let needs = skill.missing_variables.iter().map(|name| format!("needs {}", safe(name)));
    caller.into_iter().chain(needs).collect::<Vec<_>>().join(", ")
}

fn others_text(ui: &Ui, snapshot: &Snapshot, catalog: &Catalog) -> String {
    let width = widest(catalog.others.iter().map(|entry| entry.status.as_str()), 10);
    let mut text = String::new();
    for entry in &catalog.others {
        let standing = paint(Role::Warning, &pad(entry.status.as_str(), width));
        let _ = writeln!(text, "{standing}  {}", paths::short(&snapshot.workspace, entry.found()));
        if let Some(reason) = &entry.reason {
            let why = format!("{} [{}]", safe(&paths::abbreviate_home(&snapshot.workspace, &reason.text)), reason.code);
            let _ = writeln!(text, "{}", fill(&" ".repeat(width + 2), &why, ui.width));
        }
    }
    text
}

fn places_text(ui: &Ui, snapshot: &Snapshot, listing: &Listing<'_>) -> String {
    let mut text = String::new();
    for problem in listing.unsearched() {
        let path = paths::short(&snapshot.workspace, &problem.path);
        let _ = writeln!(text, "{}  {path}", paint(Role::Warning, "passed over"));
        let why = format!("{} [{}]", safe(&problem.diagnostic.message), problem.diagnostic.code);
        let _ = writeln!(text, "{}", fill(&" ".repeat(13), &why, ui.width));
    }
    text
}

fn summary(ui: &Ui, listing: &Listing<'_>, all: bool) -> String {
    if let Some(off) = &listing.off {
        return off.remedy();
    }
    let others = listing.catalog.others.len();
    if listing.skills.is_empty() && others == 0 {
        let (roots, new) = (ui.command("roots"), ui.command_for_all("new NAME"));
        return format!("no skills found; `{roots}` shows where they are looked for, `{new}` makes one");
    }
    let mut text = count(listing.skills.len(), "skill");
    let tokens = listing.tokens;
    let _ = match listing.token_limit {
        Some(limit) => write!(text, ", {} of {} tokens", grouped(tokens), grouped(limit)),
        None => write!(text, ", {} token{}", grouped(tokens), if tokens == 1 { "" } else { "s" }),
    };
    let verb = if others == 1 { "does" } else { "do" };
    match others {
        0 => {}
        _ if all => drop(write!(text, "; {} more, which {verb} not count", grouped(others as u64))),
        _ => drop(write!(text, "; {others} more {verb} not count: {}", ui.command("list --all"))),
    }
    text
}
