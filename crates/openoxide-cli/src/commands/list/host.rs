//! What one host sees: scope, name, description, tokens, and what it ignores.

use std::fmt::Write as _;
use std::mem::ManuallyDrop;

use openoxide_app::catalog_use::{FittedCatalog, room_text};
use openoxide_app::list::{ListedSkill, Listing};
use openoxide_app::{Audience, Entry, LimitReached, Problem, Snapshot, TerminalText, Workspace, paths};

use super::args::ListArgs;
use crate::table::{cut, fill, pad, pad_left, widest};
use crate::ui::{ExitStatus, Role, Ui, count, grouped, only_caller, paint, safe};
use crate::{commands::remote, session::place, typed};

pub(super) fn list(ui: &Ui, args: &ListArgs, workspace: Workspace) -> anyhow::Result<ExitStatus> {
    let place = place(&ui.common);
    // These are never dropped: the process exits after the list is written, and dropping thousands of entries takes a while.
    let snapshot = ManuallyDrop::new(openoxide_app::open(workspace, &place)?.search(&place, args.depth()));
    let fitted = if ui.common.json { None } else { FittedCatalog::of(&snapshot) };
    let fitted = ManuallyDrop::new(fitted);
    let mut listing = ManuallyDrop::new(openoxide_app::list::list(&snapshot, Audience::Person, fitted.as_ref())?);
    let shown = |listing: &Listing<'_>| listing.skills.len() + if args.all { listing.others.len() } else { 0 };
    let found = shown(&listing);
    listing.retain(&args.filter());
    let offered = args.mcp.then(|| remote::ask(ui, &snapshot)).transpose()?;
    if ui.common.json {
        let mut answer = listing.answer();
        if let Some(offered) = offered {
            (answer.remote, answer.remote_problems) = (Some(offered.skills), offered.problems);
        }
        return ui.json(&answer);
    }
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    ui.data(&skills_text(ui, &listing, fitted.as_ref()))?;
    if args.all {
        ui.data(&others_text(ui, &snapshot, &listing.others))?;
        ui.data(&places_text(ui, &snapshot.workspace, &listing.unsearched()))?;
    }
    if let Some(offered) = &offered {
        remote::show_list(ui, offered)?;
    }
    warn_of_limits(ui, &snapshot.workspace, &listing.catalog.limits);
    ui.say(&match args.words.is_empty() {
        true => summary(ui, fitted.as_ref(), &listing, args.all),
        false => filtered(ui, args, shown(&listing), found),
    });
    if !args.words.is_empty() && !args.all && !listing.others.is_empty() {
        ui.say(&ignored_matches(ui, listing.others.len()));
    }
    if let Some(offered) = &offered {
        ui.say(&remote::summary(offered));
    }
    Ok(ExitStatus::Done)
}

/// Says that skills which are ignored have the words, too.
pub(super) fn ignored_matches(ui: &Ui, number: usize) -> String {
    let verb = if number == 1 { "has" } else { "have" };
    format!(
        "{} that {} ignored {verb} them too: {}",
        count(number, "skill"),
        if number == 1 { "is" } else { "are" },
        ui.command("list --all")
    )
}

pub(super) fn warn_of_limits(ui: &Ui, workspace: &Workspace, limits: &[LimitReached]) {
    for limit in limits {
        let root = paths::short(workspace, &limit.root);
        ui.warn(&format!("{root}: {} ({}) [{}]", limit.code.title(), grouped(limit.limit as u64), limit.code));
    }
}

/// Says how many skills have the words, and what looks further if none has.
pub(super) fn filtered(ui: &Ui, args: &ListArgs, kept: usize, found: usize) -> String {
    let words = safe(&args.words.join("` and `"));
    let total = grouped(found as u64);
    match kept {
        0 if args.words.len() > 1 => {
            let words: Vec<String> = args.words.iter().map(|word| typed::shown_word(word)).collect();
            let search = typed::command(&ui.common, "search", Some(&words.join(" ")), "");
            format!("none of {total} skills has all of these words; some of them: {search}")
        }
        0 => format!("none of {total} skills has `{words}` in its name or description"),
        1 => format!("1 of {total} skills has `{words}` in its name or description"),
        _ => format!("{kept} of {total} skills have `{words}` in their name or description"),
    }
}

fn skills_text(ui: &Ui, listing: &Listing<'_>, fitted: Option<&FittedCatalog>) -> String {
    let scopes = widest(listing.skills.iter().map(|skill| skill.entry.skill.scope.as_str()), 8);
    let names: Vec<String> = listing.skills.iter().map(|skill| safe(&skill.entry.skill.name)).collect();
    // On a narrow terminal a name may take a third of the line.
    let width = widest(names.iter().map(String::as_str), ui.width.map_or(32, |all| (all / 3).min(32)));
    let costs: Vec<String> = listing.skills.iter().map(|skill| format!("{} tok", grouped(skill.cost))).collect();
    let cost_width = widest(costs.iter().map(String::as_str), 12);
    let descriptions: usize = listing.skills.iter().map(|skill| skill.entry.skill.description.len()).sum();
    let mut text = String::with_capacity(descriptions + listing.skills.len() * (scopes + width + cost_width + 48));
    for ((skill, name), cost) in listing.skills.iter().zip(&names).zip(&costs) {
        let (entry, note) = (skill.entry, note(skill, fitted));
        let scope = paint(Role::Dim, &pad(entry.skill.scope.as_str(), scopes));
        let room = ui.width.map(|all| {
            let left = all.saturating_sub(scopes + width + cost_width + 6);
            (left, left.saturating_sub(if note.is_empty() { 0 } else { note.chars().count() + 2 }))
        });
        // A note that leaves no room for the description stands below.
        let below = room.is_some_and(|(_, beside)| beside < 10);
        let room = room.map(|(left, beside)| if below { left.max(10) } else { beside });
        let shown = ui.width.map(|_| cut(name, width));
        let name = paint(Role::Strong, &pad(shown.as_deref().unwrap_or(name), width));
        let description = &*entry.skill.description;
        let _ = match room {
            Some(room) => write!(text, "{scope}  {name}  {}", pad(&cut(&safe(description), room), room)),
            None => write!(text, "{scope}  {name}  {}", TerminalText(description)),
        };
        let _ = write!(text, "  {}", pad_left(cost, cost_width));
        if !note.is_empty() {
            let lead = if below { format!("\n{}", " ".repeat(scopes + 2)) } else { "  ".to_owned() };
            let _ = write!(text, "{lead}{}", paint(Role::Warning, &note));
        }
        text.push('\n');
    }
    text
}

fn note(skill: &ListedSkill<'_>, fitted: Option<&FittedCatalog>) -> String {
    let detail = || fitted.and_then(|fitted| fitted.detail_of(&skill.entry.skill.path));
    let caller = only_caller(skill.entry.model, skill.entry.user).or_else(detail).map(str::to_owned);
    let needs = skill.missing_variables.iter().map(|name| format!("needs {}", safe(name)));
    caller.into_iter().chain(needs).collect::<Vec<_>>().join(", ")
}

fn others_text(ui: &Ui, snapshot: &Snapshot, others: &[&Entry]) -> String {
    let width = widest(others.iter().map(|entry| entry.status.as_str()), 10);
    let mut text = String::new();
    for entry in others {
        let status = paint(Role::Warning, &pad(entry.status.as_str(), width));
        let _ = writeln!(text, "{status}  {}", paths::short(&snapshot.workspace, entry.found()));
        if let Some(reason) = &entry.reason {
            let why = format!("{} [{}]", safe(&paths::abbreviate_home(&snapshot.workspace, &reason.text)), reason.code);
            let _ = writeln!(text, "{}", fill(&" ".repeat(width + 2), &why, ui.width));
        }
    }
    text
}

pub(super) fn places_text(ui: &Ui, workspace: &Workspace, places: &[&Problem]) -> String {
    let mut text = String::new();
    for problem in places {
        let path = paths::short(workspace, &problem.path);
        let _ = writeln!(text, "{}  {path}", paint(Role::Warning, "skipped"));
        let why = format!("{} [{}]", safe(&problem.diagnostic.message), problem.diagnostic.code);
        let _ = writeln!(text, "{}", fill(&" ".repeat(9), &why, ui.width));
    }
    text
}

fn summary(ui: &Ui, fitted: Option<&FittedCatalog>, listing: &Listing<'_>, all: bool) -> String {
    if let Some(off) = &listing.off {
        return off.remedy();
    }
    let others = listing.others.len();
    if listing.skills.is_empty() && others == 0 {
        let (roots, new) = (ui.command("roots"), ui.command_for_all("new NAME"));
        return format!("no skills found; `{roots}` shows where they are looked for, `{new}` makes one");
    }
    let mut text = count(listing.skills.len(), "skill");
    if let Some(fitted) = fitted {
        let _ = write!(text, ", {}", room_text(&fitted.catalog));
    }
    let verb = if others == 1 { "is" } else { "are" };
    match others {
        0 => {}
        _ if all => drop(write!(text, "; {} more {verb} ignored", grouped(others as u64))),
        _ => drop(write!(text, "; {others} more {verb} ignored: `{}`", ui.command("list --all"))),
    }
    text
}
