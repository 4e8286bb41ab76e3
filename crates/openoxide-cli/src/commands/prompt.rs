//! `prompt`: the skills as the model would see them, and what the budget cost whom.

use openoxide_app::off::skills_off;
use openoxide_app::prompt::{DrawnPrompt, PromptInput};
use openoxide_app::{Depth, DetailLevel, Error, Prompt, Status};

use crate::args::Common;
use crate::commands::messages::{print_messages, warn_notices};
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::table::pad;
use crate::ui::{Ui, count, grouped, safe, safe_lines};

/// Print the skills as the model would see them
///
/// Which skills, in which order, how far cut and in which lines is the host's way; the sentences around them are our
/// own. The text goes to standard output and nothing else does. What was shortened or left out, and why, goes to
/// standard error.
#[derive(Debug, clap::Args)]
pub(crate) struct PromptArgs {
    /// The model's context window, in tokens
    #[arg(long, value_name = "TOKENS")]
    window: Option<u64>,
    /// Show it to an agent that cannot read files
    #[arg(long)]
    no_read_tool: bool,
    /// Start the agent with this skill (can be repeated) [config: agents.NAME.skills]
    #[arg(long, value_name = "SKILL")]
    preload: Vec<String>,
}

pub(crate) fn prompt(ui: &Ui, common: &Common, args: &PromptArgs) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    let input = PromptInput { window: args.window, can_read: !args.no_read_tool, preload: args.preload.clone() };
    let drawn = match openoxide_app::prompt::prompt(&session.search(Depth::Quick), &input) {
        Err(Error::Refused(refusal)) => {
            ui.problem(&safe_lines(&refusal.text));
            return Ok(ExitStatus::No);
        }
        drawn => drawn?,
    };
    let answer = drawn.answer();
    if common.json {
        ui.json(&answer)?;
        return Ok(ExitStatus::Done);
    }
    let DrawnPrompt { prompt, preloaded, unlisted, catalog } = drawn;
    ui.raw(&prompt.text)?;
    print_messages(ui, &answer.messages)?;
    session.warn(ui);
    warn_notices(ui, &preloaded.notices);
    match unlisted {
        Some(why) => ui.say(&format!("no catalog for {}: {why}", catalog.host)),
        None => report(ui, &catalog.host, &prompt),
    }
    if !preloaded.skills.is_empty() {
        let names: Vec<String> = preloaded.skills.iter().map(|skill| safe(&skill.name)).collect();
        ui.say(&format!("the agent starts with {}: {}", count(names.len(), "skill"), names.join(", ")));
    }
    if let Some(off) = skills_off(&session.workspace, &session.view) {
        ui.hint(&off.remedy());
    }
    let invalid = catalog.others.iter().filter(|entry| entry.status == Status::Invalid);
    let names: Vec<String> = invalid.map(|entry| safe(&entry.skill.name)).collect();
    if !names.is_empty() {
        ui.say(&row("invalid", &names, &session.command("list --all")));
    }
    Ok(ExitStatus::Done)
}

fn report(ui: &Ui, host: &str, prompt: &Prompt) {
    let room = match prompt.budget {
        Some(budget) => format!("{} of {} {}", grouped(prompt.used), grouped(budget), prompt.unit.as_str()),
        None => format!("{} {}, no limit", grouped(prompt.used), prompt.unit.as_str()),
    };
    ui.say(&format!("catalog for {host}: {}, {room}", count(prompt.shown.len(), "skill")));
    let named = |how: DetailLevel| -> Vec<String> {
        prompt.shown.iter().filter(|shown| shown.detail == how).map(|shown| safe(&shown.name)).collect()
    };
    let full = named(DetailLevel::Full);
    if !full.is_empty() && full.len() < prompt.shown.len() {
        ui.say(&format!("  {}  {}", pad("full", 9), full.len()));
    }
    for (how, label) in
        [(DetailLevel::Cut, "cut"), (DetailLevel::NameOnly, "name only"), (DetailLevel::LeftOut, "left out")]
    {
        let names = named(how);
        if !names.is_empty() {
            ui.say(&row(label, &names, "the budget is used up"));
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
