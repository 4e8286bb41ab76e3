//! `openoxide` alone: the agents found, how many skills each sees, and what is worth mending.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use openoxide_config::{ConfigProblem, DetectedHost, HostInstallation};
use openoxide_runtime::seen_by_model;
use openoxide_skills::catalog::{Catalog, Depth, Entry, Status, View, load};
use openoxide_skills::render::{Model, Prompt, render};
use openoxide_skills::text::path_text;
use openoxide_wire::{AgentLine, OverviewAnswer, SchemaVersion, SuggestionLine};
use unicode_width::UnicodeWidthStr as _;

use crate::ExitStatus;
use crate::args::Common;
use crate::commands::link::is_elsewhere;
use crate::session::Session;
use crate::table::{cut, fill, pad, pad_left, widest};
use crate::typed;
use crate::ui::{Role, Ui, count, grouped, paint, safe};

mod mend;

/// Most problems that are shown; the rest is counted.
const SHOWN: usize = 8;

/// The columns of the table of agents besides the first and the last.
const WIDE: usize = 38;

/// A project as OpenOxide and the agents that were found see it.
struct Glance {
    /// What was typed, for the commands that are suggested.
    common: Common,
    session: Session,
    own: Catalog,
    agents: Vec<Agent>,
}

/// An agent that was found.
struct Agent {
    found: HostInstallation,
    /// What is wrong with its own settings.
    problems: Vec<ConfigProblem>,
    view: View,
    catalog: Arc<Catalog>,
    /// What the model would see; absent for a host that has no templates.
    prompt: Option<Prompt>,
}

pub(crate) fn overview(ui: &Ui, common: &Common) -> anyhow::Result<ExitStatus> {
    let glance = Glance::look(ui, common)?;
    let answer = glance.answer();
    if common.json {
        ui.json(&answer)?;
        return Ok(ExitStatus::Done);
    }
    glance.session.warn(ui);
    ui.data(&heading(&answer))?;
    if !answer.agents.is_empty() {
        ui.data(&agents_text(ui, common, &answer))?;
    }
    ui.data(&mend_text(ui, common, &answer.suggestions))?;
    next_step(ui, common, &answer);
    Ok(ExitStatus::Done)
}

impl Glance {
    fn look(ui: &Ui, common: &Common) -> anyhow::Result<Glance> {
        let session = Session::open(ui, common)?;
        let workspace = &session.workspace;
        let found = workspace.detected_hosts()?;
        let views: Vec<View> =
            std::iter::once(&session.view).chain(found.iter().map(|host| &host.view)).cloned().collect();
        let mut catalogs = load(&views, Depth::Quick).into_iter();
        let own = catalogs.next().ok_or_else(|| anyhow::anyhow!("the project was not searched"))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        let model = Model { window: None, now: u64::try_from(now).unwrap_or(0) };
        let mut agents = Vec::new();
        for (DetectedHost { installation: found, view, problems }, catalog) in found.into_iter().zip(catalogs) {
            let catalog = Arc::new(catalog);
            // Only its size is told, which settings that cannot be read do not keep from anybody.
            let seen = seen_by_model(workspace, Arc::clone(&catalog)).unwrap_or_else(|_| Arc::clone(&catalog));
            let prompt = render(&view, &seen, model).ok();
            agents.push(Agent { found, problems, view, catalog, prompt });
        }
        Ok(Glance { common: common.clone(), session, own, agents })
    }

    fn answer(&self) -> OverviewAnswer {
        let catalogs = || std::iter::once(&self.own).chain(self.agents.iter().map(|agent| &*agent.catalog));
        let skills: BTreeSet<&Path> = catalogs().flat_map(|catalog| &catalog.skills).map(Entry::canonical).collect();
        let root = |catalog: &'_ Catalog, at: usize| catalog.roots[at].canonical.clone();
        let folders: BTreeSet<_> =
            catalogs().flat_map(|catalog| catalog.skills.iter().map(|entry| root(catalog, entry.root))).collect();
        OverviewAnswer {
            schema: SchemaVersion::default(),
            project: path_text(&self.session.workspace.project),
            skills: skills.len(),
            folders: folders.len(),
            agents: self.agents.iter().map(Agent::line).collect(),
            hosts: self.session.workspace.hosts.names().count(),
            suggestions: mend::worst(self),
        }
    }
}

impl Agent {
    fn line(&self) -> AgentLine {
        // A skill that counts and is met again, by a link, is not one more that is hidden.
        let counted: BTreeSet<&Path> = self.catalog.skills.iter().map(Entry::canonical).collect();
        let is_new = |entry: &&Entry| !is_elsewhere(entry) && !counted.contains(entry.canonical());
        let others = || self.catalog.others.iter().filter(is_new);
        let broken = others().filter(|entry| entry.status == Status::Invalid).count();
        let found = self.found.program.iter().chain(&self.found.home).chain(&self.found.project);
        AgentLine {
            name: self.view.spec.id(),
            title: self.view.host.title.clone(),
            found: found.map(|path| path_text(path)).collect(),
            sees: self.catalog.skills.len(),
            hidden: others().count() - broken,
            broken,
            used: self.prompt.as_ref().map(|prompt| prompt.used),
            room: self.prompt.as_ref().and_then(|prompt| prompt.budget),
            unit: self.prompt.as_ref().map(|prompt| prompt.unit.as_str().to_owned()),
        }
    }
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

fn agents_text(ui: &Ui, common: &Common, answer: &OverviewAnswer) -> String {
    let titles: Vec<String> = answer.agents.iter().map(|agent| safe(&agent.title)).collect();
    let first = widest(titles.iter().map(String::as_str), 24).max(5);
    let rooms = answer.agents.iter().map(|agent| room(agent).width()).max().unwrap_or(0);
    // On a narrow terminal what a catalog takes stands below.
    let narrow = ui.width().is_some_and(|width| first + WIDE + rooms > width);
    let (hidden, catalog) = if narrow { ("hidden", "") } else { ("hidden by rule", "   catalog") };
    let mut text = format!("\n  {}   sees   {hidden}   broken{catalog}\n", pad("agent", first));
    for (agent, title) in answer.agents.iter().zip(&titles) {
        let number = |number: usize, width| pad_left(&grouped(number as u64), width);
        let broken = number(agent.broken, 6);
        let broken = if agent.broken > 0 { paint(Role::Error, &broken) } else { broken };
        let _ = writeln!(
            text,
            "  {}   {}   {}   {broken}{}{}",
            pad(title, first),
            number(agent.sees, 4),
            number(agent.hidden, hidden.len()),
            if narrow { "\n    " } else { "   " },
            room(agent)
        );
    }
    let all = typed::command(&typed::for_all(common), "hosts", None, "");
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

fn mend_text(ui: &Ui, common: &Common, mend: &[SuggestionLine]) -> String {
    if mend.is_empty() {
        return String::new();
    }
    let shown = if common.verbose { mend.len() } else { SHOWN };
    let subjects: Vec<String> = mend.iter().take(shown).map(|line| safe(&line.subject)).collect();
    let first = widest(subjects.iter().map(String::as_str), 24);
    let mut text = format!("\n{}\n", paint(Role::Strong, "Worth mending"));
    for (number, (line, subject)) in mend.iter().zip(&subjects).enumerate() {
        let lead = format!("{}. {}   ", pad_left(&(number + 1).to_string(), 3), pad(&cut(subject, first), first));
        let _ = writeln!(text, "{}", fill(&lead, &safe(&line.text), ui.width()));
        // A command that is broken in two cannot be copied, so a long one begins further left.
        let command = safe(&line.command);
        let indent = if ui.width().is_none_or(|width| first + 8 + command.width() <= width) { first + 8 } else { 5 };
        let _ = writeln!(text, "{}{}", " ".repeat(indent), paint(Role::Hint, &command));
    }
    if mend.len() > shown {
        let _ = writeln!(text, "     and {} more: {}", mend.len() - shown, typed::command(common, "-v", None, ""));
    }
    text
}

fn next_step(ui: &Ui, common: &Common, answer: &OverviewAnswer) {
    let command = |verb| typed::command(common, verb, None, "");
    let for_all = |verb| typed::command(&typed::for_all(common), verb, None, "");
    if answer.skills == 0 {
        let (new, roots) = (for_all("new NAME"), command("roots"));
        ui.hint(&format!("`{new}` makes a skill, `{roots}` shows where they are looked for"));
    } else if answer.agents.is_empty() {
        let (list, hosts) = (command("list"), for_all("hosts"));
        ui.hint(&format!("`{list}` shows the skills, `{hosts}` what each agent would see"));
    } else if answer.suggestions.is_empty() {
        ui.say("\nnothing to mend");
    }
}
