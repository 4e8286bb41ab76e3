//! From the command line to a project, and one host's view of it.

use std::io::Read;
use std::path::Path;

use anyhow::Context as _;
use openoxide_app::{
    ConfigProblem, Depth, Error, MyAgentsOrigin, OWN_HOST, Place, PlaceSettings, Snapshot, Workspace, own_skills,
    paths, problems, settings,
};

use crate::ui::{Ui, safe, safe_lines};
use crate::{args::Common, error, error::CommandError};

pub(crate) fn place(common: &Common) -> Place {
    Place {
        // Folders may be relative to the current one.
        folder: common.project.first().cloned().unwrap_or_default(),
        host: common.host.clone(),
        agent: common.agent.clone(),
        agent_only_restricts: false,
        added: common.add_dir.clone(),
        touched: common.touch.clone(),
        config: common.config.clone(),
        chosen_by_program: false,
        without_links: false,
        may_be_missing: false,
        project: None,
    }
}

pub(crate) fn open_workspace(ui: &Ui) -> anyhow::Result<Workspace> {
    let workspace = openoxide_app::open_workspace(&place(&ui.common))?;
    ui.use_color(&settings::color(&workspace));
    openoxide_app::refuse_bad_settings(&workspace)?;
    Ok(workspace)
}

/// Makes the host's view of the project. Nothing is searched yet.
pub(crate) fn open(ui: &Ui) -> anyhow::Result<PlaceSettings> {
    Ok(openoxide_app::open(open_workspace(ui)?, &place(&ui.common))?)
}

/// Opens the project, and searches for the skills that the host sees.
pub(crate) fn search(ui: &Ui, depth: Depth) -> anyhow::Result<Snapshot> {
    Ok(open(ui)?.search(&place(&ui.common), depth))
}

impl Ui {
    /// Warns of what is wrong with settings.
    pub(crate) fn warn_of_settings(&self, workspace: &Workspace, problems: &[ConfigProblem]) {
        warn_of(self, workspace, problems::news(problems));
    }

    /// Says that OpenOxide's own skills were written, if they were.
    pub(crate) fn say_own_skills(&self, snapshot: &Snapshot) {
        if let Some(folder) = snapshot.runtime().ok().and_then(|runtime| runtime.wrote_own_skills()) {
            self.say(&own_skills::written_line(folder));
        }
    }
}

/// The most bytes of standard input that are read.
const STDIN_MAX: u64 = 16 * 1024 * 1024;

/// Reads standard input to its end.
pub(crate) fn read_stdin(input: impl Read, too_long: CommandError) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(STDIN_MAX + 1).read_to_end(&mut bytes).context("failed to read standard input")?;
    if bytes.len() as u64 > STDIN_MAX { Err(too_long.into()) } else { Ok(bytes) }
}

/// Returns the next step where no skill has the name that was typed: an agent that finds it under its own rules, or else the
/// question whether another name was meant.
pub(crate) fn unknown_skill_hint(ui: &Ui, workspace: &Workspace, wanted: &str, question: Option<&str>) -> String {
    match openoxide_app::agent_that_finds(workspace, wanted) {
        Some((title, host)) => format!("{} finds it: use `--host {host}`", safe(&title)),
        None => error::unknown_skill(&ui.common, question),
    }
}

/// Adds to the error for an unknown name which agent finds the skill, if one does.
pub(crate) fn with_finder(ui: &Ui, workspace: &Workspace, error: Error) -> anyhow::Error {
    match &error {
        Error::UnknownSkill { wanted, .. } if openoxide_app::agent_that_finds(workspace, wanted).is_some() => {
            let hint = unknown_skill_hint(ui, workspace, wanted, None);
            CommandError::no(safe(&error.to_string())).hint(hint).into()
        }
        _ => error.into(),
    }
}

/// Says that a settings file is gone, and its folder with it if that was empty too.
pub(crate) fn removed_line(workspace: &Workspace, file: &Path) -> String {
    let with_folder = match file.parent().is_some_and(|folder| !folder.exists()) {
        true => ", and its empty folder with it",
        false => "",
    };
    format!("{} had nothing else in it, so it is removed{with_folder}", paths::short(workspace, file))
}

/// Says that no agent was found, and which hosts are known.
pub(crate) fn say_no_agent(ui: &Ui, workspace: &Workspace) {
    let names: Vec<String> = workspace.hosts.names().filter(|name| *name != OWN_HOST).map(safe).collect();
    ui.say(&format!(
        "no agent was found here, so OpenOxide's own rules apply; for an agent's rules, add `--host` and one of {}",
        names.join(", ")
    ));
}

/// Says that what is shown follows OpenOxide's own rules, if the user has agents and named none of them.
pub(crate) fn say_own_rules(ui: &Ui, workspace: &Workspace) {
    let agents = workspace.usual_agents().ok().filter(|agents| agents.origin != MyAgentsOrigin::NoneFound);
    let Some(agents) = agents.filter(|_| workspace.named_host().is_none()) else { return };
    let hosts: Vec<String> =
        agents.hosts.iter().map(|host| format!("`--host {}`", safe(&host.view.spec.id()))).collect();
    ui.say(&format!("these are OpenOxide's own rules; for an agent's, add {}", hosts.join(" or ")));
}

/// Warns of problems of settings files.
pub(crate) fn warn_of<'p>(ui: &Ui, workspace: &Workspace, problems: impl IntoIterator<Item = &'p ConfigProblem>) {
    problems.into_iter().for_each(|problem| ui.warn(&problem_line(workspace, problem)));
}

/// Writes a problem of a settings file on one line.
fn problem_line(workspace: &Workspace, problem: &ConfigProblem) -> String {
    let place = problem.path.as_ref().map_or_else(|| "--config".to_owned(), |path| paths::short(workspace, path));
    let line = problem.diagnostic.place.as_ref().map_or_else(String::new, |place| format!(":{}", place.line));
    let help = problem.diagnostic.help.as_ref().map_or_else(String::new, |help| format!("; {}", safe(help)));
    format!("{place}{line}: {} [{}]{help}", safe_lines(&problem.diagnostic.message), problem.diagnostic.code)
}
