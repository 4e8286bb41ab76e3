//! `explain`: why a skill is active or ignored, in your agents and in each other; or what a code means.

use std::{fmt::Write as _, io::IsTerminal as _, path::Path};

use openoxide_app::explain::{Advice, Explanation};
use openoxide_app::{SettingsOwner, Workspace, paths, problems};
use openoxide_wire::{ExplainAnswer, ExplainedFileLine, HostFileLine, HostOutcome};

use crate::session::{open_workspace, say_no_agent, warn_of};
use crate::table::{cut, fill, pad, widest};
use crate::typed;
use crate::ui::{ExitStatus, Role, Ui, count, paint, safe};

mod page;

/// Explain why a skill is active or ignored, or what a code means
///
/// Takes a skill's name or path, or a code such as S0102 that `check` or `list` printed. Speaks of your agents: those found
/// on this machine and in this project, or those in the setting `my_agents`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// A skill's name or path, or a code
    #[arg(value_name = "SKILL|CODE")]
    subject: String,
    /// Also explain it for every other host that is known
    #[arg(long)]
    all_hosts: bool,
}

pub(crate) fn explain(ui: &Ui, args: &ExplainArgs) -> anyhow::Result<ExitStatus> {
    if let Some(page) = openoxide_app::explain::page(&args.subject)? {
        match ui.width {
            Some(width) if std::io::stdout().is_terminal() => ui.data(&page::readable(page, width))?,
            _ => ui.data(page)?,
        }
        return Ok(ExitStatus::Done);
    }
    let workspace = open_workspace(ui)?;
    let explanation = openoxide_app::explain::explain(&workspace, &args.subject, args.all_hosts)?;
    if ui.common.json {
        return ui.json(&explanation.answer);
    }
    warn_of(ui, &workspace, problems::news(problems::of_settings(&workspace)));
    if explanation.none_found {
        say_no_agent(ui, &workspace);
    }
    let screen = Screen { ui, workspace: &workspace };
    let text = screen.files(&args.subject, &explanation.answer) + &screen.hosts(&args.subject, &explanation);
    ui.data(&text)?;
    Ok(ExitStatus::Done)
}

struct Screen<'s> {
    ui: &'s Ui,
    workspace: &'s Workspace,
}

impl Screen<'_> {
    /// Names the files that have the name.
    fn files(&self, subject: &str, answer: &ExplainAnswer) -> String {
        let ExplainAnswer { files, hosts, .. } = answer;
        let heading = format!("{}: {} found", paint(Role::Strong, &safe(subject)), files.len());
        let mut text = format!("{}\n\n", fill("", &heading, self.ui.width));
        let places: Vec<String> = files.iter().map(|file| self.place(&file.path)).collect();
        let width = widest(places.iter().map(String::as_str), 44);
        for (file, place) in files.iter().zip(&places) {
            let line = format!("{}  {}{}", pad(place, width), file.scope, trust(file, hosts));
            let _ = writeln!(text, "{}", fill("  ", &line, self.ui.width));
        }
        text.push('\n');
        text
    }

    /// Says what each agent makes of the skill, and what to do about it.
    fn hosts(&self, subject: &str, explanation: &Explanation) -> String {
        let hosts = &explanation.answer.hosts;
        let titles: Vec<String> = hosts.iter().map(|host| safe(&host.title)).collect();
        let first = widest(titles.iter().map(String::as_str), 20);
        let second = widest(hosts.iter().flat_map(statuses), 12);
        let indent = " ".repeat(2 + first + 2 + second + 2);
        let mut text = String::new();
        for ((host, title), advice) in hosts.iter().zip(&titles).zip(&explanation.advice) {
            let lead = format!("  {}  {}  ", pad(&cut(title, first), first), painted(&host.status, second));
            let _ = writeln!(text, "{}", fill(&lead, &host.detail, self.ui.width));
            for file in further(host) {
                let lead = format!("{}{}  ", " ".repeat(2 + first + 2), painted(&file.status, second));
                let _ = writeln!(text, "{}", fill(&lead, &self.about(file), self.ui.width));
            }
            if let Some(Advice::Full { title, .. }) = advice {
                let why = format!("No link is suggested: {}'s catalog is full.", safe(title));
                let _ = writeln!(text, "{}", fill(&indent, &why, self.ui.width));
            }
            let command = advice.as_ref().and_then(|advice| self.command(advice));
            // A command that is broken in two cannot be copied.
            let fits =
                |indent: &str, command: &str| self.ui.width.is_none_or(|all| indent.len() + command.len() <= all);
            match command {
                Some(command) if fits(&indent, &command) => advise(&mut text, &indent, &command),
                Some(command) if fits("    ", &command) => advise(&mut text, "    ", &command),
                Some(command) => self.ui.hint_command(&command),
                None => {}
            }
        }
        text + &self.others(subject, explanation)
    }

    /// Says that there are more hosts, and which of them use the skill if no agent of the user's does.
    fn others(&self, subject: &str, explanation: &Explanation) -> String {
        if explanation.other_hosts == 0 {
            return String::new();
        }
        let ignores = ["not found", "shadowed", "disabled", "invalid", "dormant", "denied", "untrusted"];
        let is_active = explanation.answer.hosts.iter().any(|host| !ignores.contains(&&*host.status));
        let titles = &explanation.active_elsewhere;
        let active = match titles.is_empty() || is_active {
            true => String::new(),
            false => format!(" (active in {})", safe(&titles.join(", "))),
        };
        let more = typed::command(&self.ui.common, "explain", typed::word(subject).as_deref(), "--all-hosts");
        let line = format!("  {}{active}: {more}", count(explanation.other_hosts, "other agent"));
        let fits = self.ui.width.is_none_or(|width| line.len() <= width);
        let line = if fits { line } else { line.replace(&more, "--all-hosts") };
        fill("  ", line.trim_start(), self.ui.width) + "\n"
    }

    fn about(&self, file: &HostFileLine) -> String {
        let place = self.place(&file.path);
        match file.reason.as_ref().and_then(|reason| reason.split_once(": ")) {
            Some((code, why)) => format!("{place}: {} [{code}]", safe(&paths::abbreviate_home(self.workspace, why))),
            None => place,
        }
    }

    fn place(&self, path: &str) -> String {
        let path = Path::new(path);
        let is_folder = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        let shown = if is_folder { path.parent().unwrap_or(path) } else { path };
        paths::short(self.workspace, shown)
    }

    fn command(&self, advice: &Advice) -> Option<String> {
        let common = typed::for_all(&self.ui.common);
        let for_host = |host: &str| crate::args::Common { host: Some(host.to_owned()), ..common.clone() };
        Some(match advice {
            Advice::Link { skill, into } => {
                let word = typed::skill(self.workspace, skill)?;
                typed::command(&common, "link", Some(&word), &format!("--into {into}"))
            }
            Advice::Full { host, .. } => typed::command(&for_host(host), "prompt", None, ""),
            Advice::Enable { skill, host, owner } => {
                let word = typed::skill(self.workspace, skill)?;
                let options = if *owner == SettingsOwner::Project { "--in-project" } else { "" };
                typed::command(&for_host(host), "enable", Some(&word), options)
            }
            Advice::Trust => typed::command(&common, "trust", None, ""),
            Advice::Check { folder, host } => {
                let word = typed::path(self.workspace, folder)?;
                typed::command(&for_host(host), "check", Some(&word), "")
            }
        })
    }
}

/// Says that a project is trusted, or that it is not where that matters to an agent.
fn trust(file: &ExplainedFileLine, hosts: &[HostOutcome]) -> &'static str {
    let waits = |line: &HostFileLine| line.path == file.path && line.status == "untrusted";
    match file.trusted {
        Some(true) => ", trusted",
        Some(false) if hosts.iter().any(|host| host.mine && host.files.iter().any(waits)) => ", not trusted",
        _ => "",
    }
}

fn advise(text: &mut String, indent: &str, command: &str) {
    let _ = writeln!(text, "{indent}{}", paint(Role::Hint, command));
}

/// Returns the files of a host that the line of its status does not speak of.
fn further(host: &HostOutcome) -> impl Iterator<Item = &HostFileLine> {
    host.files.iter().skip(usize::from(host.status != "ambiguous"))
}

fn statuses(host: &HostOutcome) -> impl Iterator<Item = &str> {
    std::iter::once(host.status.as_str()).chain(further(host).map(|file| file.status.as_str()))
}

fn painted(status: &str, width: usize) -> String {
    let role = if status == "active" { Role::Good } else { Role::Warning };
    paint(role, &pad(status, width))
}
