//! `new`: the files of a new skill.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use openoxide_app::explain::Advice;
use openoxide_app::new::{AgentFolder, NameChoice, NewInput, NewOwner, NewPlace, Outlook, folders, outlook};
use openoxide_app::{Workspace, paths};

use crate::choosing::{can_ask, choose};
use crate::session::open_workspace;
use crate::table::{pad, widest};
use crate::typed;
use crate::ui::{ExitStatus, Ui, safe};

/// Make the files of a new skill
///
/// The skill goes into the folder that your agents look in. If no folder is read by all of them, you are asked which one;
/// without a terminal, the one that most of them read is taken.
#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// The skill's name: lower-case letters, digits and hyphens
    name: String,
    /// What it does and when to use it
    #[arg(long, short)]
    description: Option<String>,
    /// Make it yours, for every project, instead of this project's
    #[arg(long, conflicts_with = "dir")]
    user: bool,
    /// Make it in this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn new(ui: &Ui, args: &NewArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    let place = if let Some(dir) = &args.dir {
        NewPlace::Folder(dir.clone())
    } else if let Some(folder) = agent_folder(ui, &workspace, args)? {
        NewPlace::Agents(folder)
    } else {
        ui.say("nothing was written");
        return Ok(ExitStatus::No);
    };
    let input = NewInput { name: args.name.clone(), description: args.description.clone(), place };
    let mut made = openoxide_app::new::new(&workspace, &input)?;
    made.answer.undo = typed::path(&workspace, &made.folder).map(|path| format!("rm -r {path}"));
    match ui.common.json {
        true => ui.json(&made.answer).map(drop)?,
        false => ui.data(&format!("{}\n", paths::short(&workspace, &made.file)))?,
    }
    // The skill is made: what cannot be said of it is no error.
    let outlook = outlook(&workspace, &input.name, &made).unwrap_or_default();
    say_namesakes(ui, &workspace, &input.name, &outlook);
    if let NewPlace::Agents(folder) = &input.place {
        say_unseen(ui, &workspace, folder, &outlook);
    }
    say_next(ui, &workspace, &made.folder, args.description.is_some());
    made.answer.undo.iter().for_each(|undo| ui.say_command("undo", undo));
    Ok(ExitStatus::Done)
}

/// Returns the folder that the agents look in. Asks only if no folder is read by all of them; the answer may be none.
fn agent_folder(ui: &Ui, workspace: &Workspace, args: &NewArgs) -> anyhow::Result<Option<AgentFolder>> {
    let owner = if args.user { NewOwner::User } else { NewOwner::Project };
    let mut found = folders(workspace, owner)?;
    let is_open = found.len() > 1 && !found[0].unseen_by.is_empty();
    let index = match is_open && can_ask() {
        true => ask(ui, workspace, &found, &args.name),
        false => Some(0),
    };
    Ok(index.map(|index| found.swap_remove(index)))
}

fn ask(ui: &Ui, workspace: &Workspace, found: &[AgentFolder], name: &str) -> Option<usize> {
    let short = |folder: &AgentFolder| paths::short(workspace, &folder.path);
    let shorts: Vec<String> = found.iter().map(short).collect();
    let width = widest(shorts.iter().map(String::as_str), 40);
    let seen_by = |folder: &AgentFolder| safe(&folder.seen_by.join(", "));
    let lines = shorts.iter().zip(found).map(|(short, folder)| format!("{}  {}", pad(short, width), seen_by(folder)));
    let question = format!("No folder is read by all of your agents. Where should {} go?", safe(name));
    choose(ui, &question, &lines.collect::<Vec<_>>())
}

/// Says that other skills have this name, and which of them each agent uses.
fn say_namesakes(ui: &Ui, workspace: &Workspace, name: &str, outlook: &Outlook) {
    if outlook.namesakes.is_empty() {
        return;
    }
    let folder = |file: &PathBuf| paths::short(workspace, file.parent().unwrap_or(file));
    let others: Vec<String> = outlook.namesakes.iter().map(folder).collect();
    let mut fact = format!("there is another `{}` in {}", safe(name), others.join(", "));
    for (choice, what) in [(NameChoice::New, "this one"), (NameChoice::Other, "that one"), (NameChoice::Both, "both")] {
        let agents = outlook.choices.iter().filter(|(_, chosen)| *chosen == choice);
        let titles: Vec<String> = agents.map(|(title, _)| safe(title)).collect();
        if !titles.is_empty() {
            let verb = if titles.len() == 1 { "uses" } else { "use" };
            let _ = write!(fact, "; {} {verb} {what}", titles.join(", "));
        }
    }
    ui.warn(&fact);
    let explain = typed::command(&ui.common, "explain", Some(&typed::shown_word(name)), "");
    ui.hint(&format!("`{explain}` says which of them each agent uses"));
}

/// Says which agents do not look in the folder, and what makes them see the skill, unless it makes something worse.
fn say_unseen(ui: &Ui, workspace: &Workspace, folder: &AgentFolder, outlook: &Outlook) {
    let place = paths::short(workspace, &folder.path);
    for agent in &folder.unseen_by {
        let fact = format!("{} does not look in {place}", safe(&agent.title));
        let advice = outlook.advice.iter().find(|(title, _)| *title == agent.title).map(|(_, advice)| advice);
        match advice {
            Some(Advice::Link { skill, into }) => {
                let word = typed::skill(workspace, skill);
                let common = typed::for_all(&ui.common);
                let link = word.map(|word| typed::command(&common, "link", Some(&word), &format!("--into {into}")));
                ui.hint(&link.map_or_else(|| fact.clone(), |link| format!("{fact}: `{link}`")));
            }
            Some(Advice::Full { title, .. }) => {
                ui.say(&format!("{fact}; no link is suggested: {}'s catalog is full", safe(title)));
            }
            _ => ui.say(&fact),
        }
    }
}

fn say_next(ui: &Ui, workspace: &Workspace, folder: &Path, is_described: bool) {
    let todo = if is_described { "write the steps" } else { "write the description and the steps" };
    ui.hint(&format!("{todo}, then: `openoxide check {}`", paths::short(workspace, folder)));
}
