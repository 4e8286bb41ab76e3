//! `prompt`: the skills as the model would see them, and what the budget cost whom.

use std::time::{SystemTime, UNIX_EPOCH};

use openoxide_skills::{Depth, How, Model, Prompt, Standing, render};
use openoxide_wire::PromptAnswer;

use crate::ExitStatus;
use crate::args::Common;
use crate::off::off;
use crate::session::Session;
use crate::table::pad;
use crate::ui::{Ui, count, grouped, safe};

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
}

pub(crate) fn prompt(ui: &Ui, common: &Common, args: &PromptArgs) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    let catalog = session.catalog(Depth::Quick);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(0));
    let prompt = render(&session.view, &catalog, Model { window: args.window, now })?;
    if common.json {
        ui.json(&PromptAnswer::new(catalog.host.clone(), &prompt))?;
        return Ok(ExitStatus::Done);
    }
    ui.raw(&prompt.text)?;
    session.warn(ui);
    report(ui, &catalog.host, &prompt);
    if let Some(off) = off(&session.workspace, &session.view) {
        ui.hint(&off.remedy());
    }
    let invalid = catalog.others.iter().filter(|entry| entry.standing == Standing::Invalid);
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
    let named = |how: How| -> Vec<String> {
        prompt.shown.iter().filter(|shown| shown.how == how).map(|shown| safe(&shown.name)).collect()
    };
    let full = named(How::Full);
    if !full.is_empty() && full.len() < prompt.shown.len() {
        ui.say(&format!("  {}  {}", pad("full", 9), full.len()));
    }
    for (how, label) in [(How::Cut, "cut"), (How::NameOnly, "name only"), (How::LeftOut, "left out")] {
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
