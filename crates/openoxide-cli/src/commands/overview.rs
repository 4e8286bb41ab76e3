//! `openoxide` alone: the agents found, how many skills each sees, and what to fix.

use std::{fmt::Write as _, path::Path};

use openoxide_app::{SkillReference, Workspace, overview::Action};
use openoxide_wire::{AgentLine, OverviewAnswer, SuggestionLine};
use unicode_width::UnicodeWidthStr as _;

use crate::table::{cut, fill, pad, pad_left, widest};
use crate::ui::{ExitStatus, Role, Ui, count, grouped, paint, safe};
use crate::{args::Common, session::open, typed};

/// Most problems that are shown; the rest is counted.
const SHOWN: usize = 8;

/// The columns of the table of agents besides the first and the last.
const WIDE: usize = 38;

pub(crate) fn overview(ui: &Ui) -> anyhow::Result<ExitStatus> {
    let settings = open(ui)?;
    let command = |action: &Action| command(ui, &settings.workspace, action);
    let answer = openoxide_app::overview::overview(&settings, &command)?;
    if ui.common.json {
        return ui.json(&answer);
    }
    ui.warn_of_settings(&settings.workspace, &settings.problems);
    ui.data(&heading(&answer))?;
    if !answer.agents.is_empty() {
        ui.data(&agents_text(ui, &answer))?;
    }
    ui.data(&suggestions_text(ui, &answer.suggestions))?;
    next_step(ui, &answer);
    Ok(ExitStatus::Done)
}

fn heading(answer: &OverviewAnswer) -> String {
    let project = Path::new(&answer.project)
        .file_name()
        .map_or_else(|| answer.project.clone(), |name| name.to_string_lossy().into_owned());
    let skills = match answer.skills {
        0 => "no skills".to_owned(),
        skills => format!("{} in {}", count(skills, "skill"), count(answer.folders, "folder")),
    };
    let agents = match answer.agents.len() {
        0 => "no agents found".to_owned(),
        agents => format!("{} found", count(agents, "agent")),
    };
    format!("{}: {skills}, {agents}\n", paint(Role::Strong, &safe(&project)))
}

fn agents_text(ui: &Ui, answer: &OverviewAnswer) -> String {
    let titles: Vec<String> = answer.agents.iter().map(|agent| safe(&agent.title)).collect();
    let first = widest(titles.iter().map(String::as_str), 24).max(5);
    let rooms = answer.agents.iter().map(|agent| room(agent).width()).max().unwrap_or(0);
    // On a narrow terminal what a catalog takes stands below.
    let narrow = ui.width.is_some_and(|width| first + WIDE + rooms > width);
    let (hidden, catalog) = if narrow { ("hidden", "") } else { ("hidden by rule", "   catalog") };
    let mut text = format!("\n  {}   sees   {hidden}   broken{catalog}\n", pad("agent", first));
    for (agent, title) in answer.agents.iter().zip(&titles) {
        let number = |number: usize, width| pad_left(&grouped(number as u64), width);
        let broken = number(agent.broken, 6);
        let broken = if agent.broken > 0 { paint(Role::Error, &broken) } else { broken };
        let (sees, hidden) = (number(agent.sees, 4), number(agent.hidden, hidden.len()));
        let gap = if narrow { "\n    " } else { "   " };
        let _ = writeln!(text, "  {}   {sees}   {hidden}   {broken}{gap}{}", pad(title, first), room(agent));
    }
    let all = ui.command_for_all("hosts");
    let known = format!("({} hosts known, `{all}` shows all)", answer.hosts);
    let _ = writeln!(text, "  {}", paint(Role::Dim, &known));
    text
}

/// Writes what a catalog takes: "1.9k tokens of 2.0k".
fn room(agent: &AgentLine) -> String {
    let (Some(used), Some(unit)) = (agent.used, &agent.unit) else { return "no templates".to_owned() };
    match agent.room {
        Some(room) => format!("{} {unit} of {}", thousands(used), thousands(room)),
        None => format!("{} {unit}, no limit", thousands(used)),
    }
}

fn thousands(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..100_000 => format!("{}.{}k", number / 1_000, number % 1_000 / 100),
        _ => format!("{}k", grouped(number / 1_000)),
    }
}

fn suggestions_text(ui: &Ui, suggestions: &[SuggestionLine]) -> String {
    if suggestions.is_empty() {
        return String::new();
    }
    let shown = if ui.common.verbose { suggestions.len() } else { SHOWN };
    let subjects: Vec<String> = suggestions.iter().take(shown).map(|line| safe(&line.subject)).collect();
    let first = widest(subjects.iter().map(String::as_str), 24);
    let mut text = format!("\n{}\n", paint(Role::Strong, "To fix"));
    for (number, (line, subject)) in suggestions.iter().zip(&subjects).enumerate() {
        let lead = format!("{}. {}   ", pad_left(&(number + 1).to_string(), 3), pad(&cut(subject, first), first));
        let _ = writeln!(text, "{}", fill(&lead, &safe(&line.text), ui.width));
        // A command that is broken in two cannot be copied, so a long one begins further left.
        let command = safe(&line.command);
        let indent = if ui.width.is_none_or(|width| first + 8 + command.width() <= width) { first + 8 } else { 5 };
        let _ = writeln!(text, "{}{}", " ".repeat(indent), paint(Role::Hint, &command));
    }
    if suggestions.len() > shown {
        let _ = writeln!(text, "     and {} more: {}", suggestions.len() - shown, ui.command("-v"));
    }
    text
}

fn next_step(ui: &Ui, answer: &OverviewAnswer) {
    if answer.skills == 0 {
        let (new, roots) = (ui.command_for_all("new NAME"), ui.command("roots"));
        ui.hint(&format!("`{new}` makes a skill, `{roots}` shows where they are looked for"));
    } else if answer.agents.is_empty() {
        let (list, hosts) = (ui.command("list"), ui.command_for_all("hosts"));
        ui.hint(&format!("`{list}` shows the skills, `{hosts}` what each agent would see"));
    } else if answer.suggestions.is_empty() {
        ui.say("\nnothing to fix");
    }
}

fn command(ui: &Ui, workspace: &Workspace, action: &Action) -> String {
    let for_host = |host: &String| Common { host: Some(host.clone()), ..ui.common.clone() };
    match action {
        // A fix serves every agent, also where the user looks at one.
        Action::Check { folder, fix, rename } => {
            let verb = match (fix, rename) {
                (true, true) => "check --fix --rename",
                (true, false) => "check --fix",
                (false, _) => "check",
            };
            typed::command(&typed::for_all(&ui.common), verb, typed::path(workspace, folder).as_deref(), "")
        }
        Action::Trust => ui.command_for_all("trust"),
        Action::Link { skill, from, into } => {
            let common = from.as_ref().map_or_else(|| ui.common.clone(), for_host);
            let skill = skill.as_ref().and_then(|skill| typed::skill(workspace, skill));
            let verb = if skill.is_some() { "link" } else { "link --all" };
            typed::command(&common, verb, skill.as_deref(), &format!("--into {into}"))
        }
        Action::Enable { skill, in_project } => {
            let options = if *in_project { "--in-project" } else { "" };
            about(ui, workspace, "enable", skill, options)
        }
        Action::Explain(skill) => about(ui, workspace, "explain", skill, ""),
        Action::Roots(host) => typed::command(&for_host(host), "roots", None, ""),
        Action::Prompt(host) => typed::command(&for_host(host), "prompt", None, ""),
    }
}

/// Writes a command about one skill; where its name cannot be typed, the one about all.
fn about(ui: &Ui, workspace: &Workspace, verb: &str, skill: &SkillReference, options: &str) -> String {
    match typed::skill(workspace, skill) {
        Some(skill) => typed::command(&ui.common, verb, Some(&skill), options),
        None => ui.command("list --all"),
    }
}
