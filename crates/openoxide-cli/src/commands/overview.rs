//! `openoxide` alone: your agents, how many skills are active in each, and what to fix.

use std::{fmt::Write as _, path::Path};

use openoxide_app::catalog_use::room_text;
use openoxide_app::{SkillReference, Workspace, overview::Action};
use openoxide_wire::{AgentLine, CatalogUse, OverviewAnswer, SuggestionLine};
use unicode_width::UnicodeWidthStr as _;

use crate::table::{fill, pad, pad_left, widest};
use crate::ui::{ExitStatus, Role, Ui, count, grouped, paint, safe};
use crate::{args::Common, session::open, typed};

/// Most problems that are shown; the rest is counted.
const SHOWN: usize = 8;

pub(crate) fn overview(ui: &Ui) -> anyhow::Result<ExitStatus> {
    let settings = open(ui)?;
    let command = |action: &Action| command(ui, &settings.workspace, action);
    let answer = openoxide_app::overview::overview(&settings, &command)?;
    if ui.common.json {
        return ui.json(&answer);
    }
    ui.warn_of_settings(&settings.workspace, &settings.problems);
    ui.data(&heading(&answer))?;
    ui.data(&agents_text(ui, &answer))?;
    ui.data(&suggestions_text(ui, &answer.to_fix))?;
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
    let agents = count(answer.agents.len(), "agent");
    let agents = match answer.agents_from.as_str() {
        "named" => format!("for {}", safe(&answer.agents[0].title)),
        "listed" => format!("{agents} of your settings"),
        "none" => "no agents found".to_owned(),
        _ => format!("{agents} found"),
    };
    format!("{}: {skills}; {agents}\n", paint(Role::Strong, &safe(&project)))
}

fn agents_text(ui: &Ui, answer: &OverviewAnswer) -> String {
    let table = AgentTable::new(ui, answer);
    let mut text = format!("\n{}", table.head());
    for agent in &answer.agents {
        text += &table.row(agent);
    }
    for note in answer.agents.iter().filter_map(|agent| agent.installed.as_ref()?.note.as_ref()) {
        let _ = writeln!(text, "\n{}", fill("  ", &safe(note), ui.width));
    }
    if answer.agents_from == "none" {
        let hosts = format!(
            "No agent was found, so OpenOxide's own rules apply. Agents that it knows: {}. `{}` names yours.",
            answer.hosts.join(", "),
            ui.command_for_all("config set my_agents '[\"NAME\"]'")
        );
        let _ = writeln!(text, "\n{}", fill("  ", &safe(&hosts), ui.width));
    }
    text
}

/// The columns of the table of agents, but for the last.
const HEADINGS: [&str; 6] = ["agent", "active", "shortened", "name only", "left out", "ignored"];

/// The table of agents: its columns, and whether what a catalog takes stands below.
struct AgentTable {
    first: usize,
    shortened: bool,
    left_out: bool,
    narrow: bool,
}

impl AgentTable {
    fn new(ui: &Ui, answer: &OverviewAnswer) -> AgentTable {
        let titles: Vec<String> = answer.agents.iter().map(|agent| safe(&agent.title)).collect();
        let first = widest(titles.iter().map(String::as_str), 24).max(5);
        let any = |number: fn(&CatalogUse) -> usize| {
            answer.agents.iter().filter_map(|agent| agent.catalog.as_ref()).any(|catalog| number(catalog) > 0)
        };
        let (shortened, left_out) = (any(|catalog| catalog.shortened), any(|catalog| catalog.left_out));
        let table = AgentTable { first, shortened, left_out, narrow: false };
        let last = answer.agents.iter().map(|agent| room(agent).width()).max().unwrap_or(0);
        let before = table.cells(&HEADINGS).width();
        AgentTable { narrow: ui.width.is_some_and(|width| before + 2 + last > width), ..table }
    }

    fn cells(&self, cells: &[&str; 6]) -> String {
        let [agent, active, shortened, name_only, left_out, ignored] = cells;
        // A column of zeros is left out, where a table can do without it.
        let shown = |is_shown: bool, text: &str, width| match is_shown {
            true => format!("  {}", pad_left(text, width)),
            false => String::new(),
        };
        let (shortened, left_out) = (shown(self.shortened, shortened, 9), shown(self.left_out, left_out, 8));
        let (active, name_only, ignored) = (pad_left(active, 6), pad_left(name_only, 9), pad_left(ignored, 7));
        format!("  {}  {active}{shortened}  {name_only}{left_out}  {ignored}", pad(agent, self.first))
    }

    fn head(&self) -> String {
        let catalog = if self.narrow { "" } else { "  catalog" };
        format!("{}{catalog}\n", self.cells(&HEADINGS))
    }

    fn row(&self, agent: &AgentLine) -> String {
        let number = |number: usize| grouped(number as u64);
        let of_catalog = |field: fn(&CatalogUse) -> usize| number(agent.catalog.as_ref().map_or(0, field));
        let (active, ignored) = (number(agent.active), number(agent.ignored));
        let shortened = of_catalog(|catalog| catalog.shortened);
        let (name_only, left_out) = (of_catalog(|catalog| catalog.name_only), of_catalog(|catalog| catalog.left_out));
        let cells = self.cells(&[&safe(&agent.title), &active, &shortened, &name_only, &left_out, &ignored]);
        let gap = if self.narrow { "\n    " } else { "  " };
        format!("{cells}{gap}{}\n", room(agent))
    }
}

fn room(agent: &AgentLine) -> String {
    agent.catalog.as_ref().map_or_else(|| "no templates".to_owned(), room_text)
}

fn suggestions_text(ui: &Ui, suggestions: &[SuggestionLine]) -> String {
    if suggestions.is_empty() {
        return String::new();
    }
    let shown = if ui.common.verbose { suggestions.len() } else { SHOWN };
    let mut text = format!("\n{}\n", paint(Role::Strong, "To fix"));
    for (number, line) in suggestions.iter().take(shown).enumerate() {
        let lead = format!("{}. ", pad_left(&(number + 1).to_string(), 3));
        let _ = writeln!(text, "{}", fill(&lead, &safe(&line.text), ui.width));
        for detail in &line.details {
            let _ = writeln!(text, "{}", fill("     ", &safe(detail), ui.width));
        }
        // A command that is broken in two cannot be copied.
        for command in std::iter::once(&line.command).chain(&line.choices) {
            let _ = writeln!(text, "     {}", paint(Role::Hint, &safe(command)));
        }
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
    } else if answer.to_fix.is_empty() {
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
        Action::Disable { skills, host } => {
            let words: Vec<String> = skills.iter().filter_map(|skill| typed::skill(workspace, skill)).collect();
            typed::command(&for_host(host), "disable", Some(&words.join(" ")), "")
        }
        Action::List => ui.command("list"),
        Action::Explain(skill) => about(ui, workspace, "explain", skill),
        Action::Roots(host) => typed::command(&for_host(host), "roots", None, ""),
        Action::Prompt(host) => typed::command(&for_host(host), "prompt", None, ""),
    }
}

/// Writes a command about one skill; where its name cannot be typed, the one about all.
fn about(ui: &Ui, workspace: &Workspace, verb: &str, skill: &SkillReference) -> String {
    match typed::skill(workspace, skill) {
        Some(skill) => typed::command(&ui.common, verb, Some(&skill), ""),
        None => ui.command("list --all"),
    }
}
