//! `prompt`: the skills as the model would see them, and what the budget cost whom.

use openoxide_app::catalog_use::window_text;
use openoxide_app::prompt::{DrawnPrompt, PromptInput};
use openoxide_app::{Depth, Error, Status, off::skills_off};
use openoxide_wire::PromptAnswer;

use crate::session::{say_own_rules, search};
use crate::table::pad;
use crate::ui::{ExitStatus, Ui, count, grouped, safe, safe_lines};

/// Print the skills as the model would see them
///
/// The choice of skills, their order, their lines and how they are shortened are the host's; the sentences around them are
/// ours. Only the text goes to standard output. Standard error says what was shortened or left out, and why.
#[derive(Debug, clap::Args)]
pub(crate) struct PromptArgs {
    /// The model's context window, in tokens
    #[arg(long, value_name = "TOKENS")]
    window: Option<u64>,
    /// Print it for an agent that cannot read files
    #[arg(long)]
    no_read_tool: bool,
    /// Start the agent with this skill (can be repeated) [config: agents.NAME.skills]
    #[arg(long, value_name = "SKILL")]
    preload: Vec<String>,
}

pub(crate) fn prompt(ui: &Ui, args: &PromptArgs) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    let input =
        PromptInput { window: args.window, can_read: !args.no_read_tool, preload: args.preload.clone(), served: false };
    let drawn = openoxide_app::prompt::prompt(&snapshot, &input);
    ui.say_own_skills(&snapshot);
    let drawn = match drawn {
        Err(Error::Refused(refusal)) => {
            ui.problem(&safe_lines(&refusal.text));
            return Ok(ExitStatus::No);
        }
        drawn => drawn?,
    };
    let DrawnPrompt { answer, notices, catalog } = drawn;
    if ui.common.json {
        return ui.json(&answer);
    }
    ui.raw(&answer.text)?;
    ui.messages(&answer.messages)?;
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    ui.notices(&notices);
    match &answer.unlisted {
        Some(why) => ui.say(&format!("no catalog for {}: {why}", answer.host)),
        None => report(ui, &answer),
    }
    if !answer.preloaded.is_empty() {
        let names: Vec<String> = answer.preloaded.iter().map(|skill| safe(&skill.name)).collect();
        ui.say(&format!("the agent starts with {}: {}", count(names.len(), "skill"), names.join(", ")));
    }
    if let Some(off) = skills_off(&snapshot.workspace, &snapshot.view) {
        ui.hint(&off.remedy());
    }
    let invalid = catalog.others.iter().filter(|entry| entry.status == Status::Invalid);
    let names: Vec<String> = invalid.map(|entry| safe(&entry.skill.name)).collect();
    if !names.is_empty() {
        ui.say(&row("invalid", &names, &ui.command("list --all")));
    }
    say_own_rules(ui, &snapshot.workspace);
    Ok(ExitStatus::Done)
}

fn report(ui: &Ui, answer: &PromptAnswer) {
    let catalog = &answer.catalog;
    let room = match catalog.budget {
        Some(budget) => {
            format!("{} of {} {}{}", grouped(catalog.used), grouped(budget), catalog.unit, window_text(catalog))
        }
        None => format!("{} {}, no limit", grouped(catalog.used), catalog.unit),
    };
    ui.say(&format!("catalog for {}: {}, {room}", answer.host, count(answer.shown.len(), "skill")));
    if catalog.own > 0 {
        ui.say(&format!(
            "  {}  {} {} for the agent's own skills",
            pad("built in", 9),
            grouped(catalog.own),
            catalog.unit
        ));
    }
    let named = |how: &str| -> Vec<String> {
        answer.shown.iter().filter(|shown| shown.how == how).map(|shown| safe(&shown.name)).collect()
    };
    let full = named("full");
    if !full.is_empty() && full.len() < answer.shown.len() {
        ui.say(&format!("  {}  {}", pad("full", 9), full.len()));
    }
    for how in ["shortened", "name-only", "left-out"] {
        let names = named(how);
        if !names.is_empty() {
            ui.say(&row(&how.replace('-', " "), &names, "the budget is used up"));
        }
    }
}

fn row(label: &str, names: &[String], why: &str) -> String {
    const SHOWN: usize = 6;
    let more = names.len().saturating_sub(SHOWN);
    let list = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
    format!("  {}  {}   {list}{more}   ({why})", pad(label, 9), names.len())
}
