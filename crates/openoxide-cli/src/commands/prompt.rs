//! `prompt`: the skills as the model would see them, and what the budget cost whom.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use openoxide_runtime::{Beginning, BeginningError, Onlooker, message_line, prompt_answer};
use openoxide_skills::catalog::{Depth, Status};
use openoxide_skills::render::{DetailLevel, Model, Prompt};

use crate::ExitStatus;
use crate::args::Common;
use crate::commands::activate::{print_messages, runtime, tell_notices};
use crate::session::Session;
use crate::table::pad;
use crate::ui::{Ui, count, grouped, safe, safe_lines};
use openoxide_app::off::skills_off;

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
    let runtime = runtime(&session)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(0));
    let onlooker = Onlooker {
        model: Model { window: args.window, now },
        reads: !args.no_read_tool,
        preload: args.preload.clone(),
    };
    let beginning = match runtime.beginning(&session.workspace, Arc::new(session.catalog(Depth::Quick)), &onlooker) {
        Err(BeginningError::Refused(refusal)) => {
            ui.problem(&safe_lines(&refusal.text));
            return Ok(ExitStatus::No);
        }
        // What the next step is, the error itself knows.
        Err(BeginningError::Render(error)) => return Err(error.into()),
        Err(BeginningError::Rule(error)) => return Err(error.into()),
        Ok(beginning) => beginning,
    };
    if common.json {
        ui.json(&prompt_answer(&beginning))?;
        return Ok(ExitStatus::Done);
    }
    let Beginning { prompt, started, unlisted, catalog } = beginning;
    ui.raw(&prompt.text)?;
    print_messages(ui, &started.messages.iter().map(message_line).collect::<Vec<_>>())?;
    session.warn(ui);
    tell_notices(ui, &started.notices);
    match unlisted {
        Some(why) => ui.say(&format!("no catalog for {}: {why}", catalog.host)),
        None => report(ui, &catalog.host, &prompt),
    }
    if !started.skills.is_empty() {
        let names: Vec<String> = started.skills.iter().map(|skill| safe(&skill.name)).collect();
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
