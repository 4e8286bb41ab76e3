//! `link` and `unlink`: put a skill where another agent looks, and take it away again.

use std::path::PathBuf;

use openoxide_app::link::{LinkInput, RemovedLink, UnlinkInput};
use openoxide_app::{Error, PlaceSettings, Progress, Report, SkillReference, Workspace, paths};

use crate::asking::AskingArgs;
use crate::choosing::can_ask;
use crate::ui::{ExitStatus, Ui};
use crate::{error::CommandError, session::open, typed};

/// Put skills where another agent looks
///
/// Makes a relative link in that agent's folder: the project's for a skill of the project, else yours. What is there
/// already is never replaced, and if one of the skills cannot be linked, none is. Where the agent would not follow a link, or
/// the disk has none, the skill is copied.
#[derive(Debug, clap::Args)]
pub(crate) struct LinkArgs {
    /// Names or paths of skills
    #[arg(value_name = "SKILL", required_unless_present = "all")]
    skills: Vec<String>,
    /// The agent that is to see them
    #[arg(long, value_name = "HOST")]
    into: String,
    /// Every skill of yours or of the project that the agent would use, but does not see
    #[arg(long, conflicts_with = "skills")]
    all: bool,
    /// Copy the folders instead of linking them
    #[arg(long)]
    copy: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Take away what `link` put there
///
/// Removes only links to the skills that are named, and copies of them that are still the same; then the agent's folder,
/// if nothing is left in it. A link or copy that you made yourself is no different.
#[derive(Debug, clap::Args)]
pub(crate) struct UnlinkArgs {
    /// Names or paths of skills
    #[arg(value_name = "SKILL", required_unless_present = "all")]
    skills: Vec<String>,
    /// The agent that is not to see them any more
    #[arg(long, value_name = "HOST")]
    from: String,
    /// Every link in the agent's folders that leads to a skill elsewhere; never a copy
    #[arg(long, conflicts_with = "skills")]
    all: bool,
    /// With --all at a terminal, remove them without asking
    #[arg(long, short = 'y')]
    yes: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn link(ui: &Ui, args: &LinkArgs) -> anyhow::Result<ExitStatus> {
    let settings = open(ui)?;
    let (skills, into) = (args.skills.clone(), args.into.clone());
    let input = LinkInput { skills, into, copy: args.copy, dry_run: args.dry_run };
    let mut linked = reported(ui, &settings, |report| openoxide_app::link::link(&settings, &input, report))?;
    if let Some((name, why)) = linked.ignored {
        let hint = match typed::word(&name) {
            Some(name) => typed::command(&ui.common, "explain", Some(&name), ""),
            None => ui.command("list --all"),
        };
        return Err(CommandError::no(why).hint(hint).into());
    }
    if !args.dry_run {
        linked.answer.undo = undo(ui, args, &settings.workspace, &linked.made);
    }
    ui.json_if_asked(&linked.answer)?;
    match linked.failed {
        Some(error) => Err(error.into()),
        None if linked.still_ignored => Ok(ExitStatus::No),
        None => Ok(ExitStatus::Done),
    }
}

pub(crate) fn unlink(ui: &Ui, args: &UnlinkArgs) -> anyhow::Result<ExitStatus> {
    let settings = open(ui)?;
    let (skills, from) = (args.skills.clone(), args.from.clone());
    let input = UnlinkInput { skills, from, all: args.all, dry_run: args.dry_run };
    if args.all && !args.dry_run && !args.yes && can_ask() && !is_wanted(ui, &settings, &input)? {
        ui.say("nothing was removed");
        return Ok(ExitStatus::No);
    }
    let mut unlinked = reported(ui, &settings, |report| openoxide_app::link::unlink(&settings, &input, report))?;
    unlinked.answer.undo = undo_of_unlink(ui, args, &settings.workspace, &unlinked.removed);
    ui.json_if_asked(&unlinked.answer)?;
    match unlinked.kept {
        Some(error) => Err(error.into()),
        None if unlinked.still_seen => Ok(ExitStatus::No),
        None => Ok(ExitStatus::Done),
    }
}

/// Shows what would be removed, and asks. Where there is nothing, there is nothing to ask.
fn is_wanted(ui: &Ui, settings: &PlaceSettings, input: &UnlinkInput) -> anyhow::Result<bool> {
    let preview = UnlinkInput { dry_run: true, ..input.clone() };
    let mut lines = Vec::new();
    let planned = openoxide_app::link::unlink(settings, &preview, &mut |progress| match progress {
        Progress::Done(text) => lines.push(text),
        progress => ui.progress(progress),
    })?;
    if planned.answer.changes.is_empty() {
        return Ok(true);
    }
    // It is shown even with `--quiet`: it is asked about.
    for line in &lines {
        ui.ask(line);
    }
    Ok(AskingArgs::default().consent(ui, "Remove them?")?)
}

/// Says what is reported, after a warning of what is wrong with settings. An error before anything is done stands alone.
fn reported<T>(
    ui: &Ui,
    settings: &PlaceSettings,
    run: impl FnOnce(Report<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut warned = false;
    let mut warn = || {
        if !std::mem::replace(&mut warned, true) {
            ui.warn_of_settings(&settings.workspace, &settings.problems);
        }
    };
    let done = run(&mut |progress| {
        warn();
        ui.progress(progress);
    })?;
    warn();
    Ok(done)
}

/// Says how to take back what was made, and nothing else.
fn undo(ui: &Ui, args: &LinkArgs, workspace: &Workspace, made: &[(SkillReference, PathBuf)]) -> Option<String> {
    let (mut words, mut untyped) = (Vec::new(), Vec::new());
    for (skill, place) in made {
        match typed::skill(workspace, skill) {
            Some(word) => words.push(word),
            None => untyped.push(paths::short(workspace, place)),
        }
    }
    let from = format!("--from {}", args.into);
    let command = (!words.is_empty()).then(|| typed::command(&ui.common, "unlink", Some(&words.join(" ")), &from));
    if let Some(command) = &command {
        ui.say_command("undo", command);
    }
    for place in untyped {
        ui.say(&format!("undo by hand: remove {place}"));
    }
    command
}

/// Says how to bring back what was removed, link by link as it was.
fn undo_of_unlink(ui: &Ui, args: &UnlinkArgs, workspace: &Workspace, removed: &[RemovedLink]) -> Option<String> {
    let (mut links, mut copies) = (Vec::new(), Vec::new());
    for link in removed {
        let word = link.skill.as_ref().and_then(|skill| typed::skill(workspace, skill));
        let (place, source) = (paths::short(workspace, &link.place), paths::short(workspace, &link.source));
        match (word, link.is_copy) {
            (Some(word), false) => links.push(word),
            (Some(word), true) => copies.push(word),
            (None, false) => ui.say(&format!("undo by hand: link {place} to {source}")),
            (None, true) => ui.say(&format!("undo by hand: copy {source} to {place}")),
        }
    }
    let command = |words: &[String], copy: &str| {
        let into = format!("--into {}{copy}", args.from);
        (!words.is_empty()).then(|| typed::command(&ui.common, "link", Some(&words.join(" ")), &into))
    };
    let commands: Vec<String> = command(&links, "").into_iter().chain(command(&copies, " --copy")).collect();
    for command in &commands {
        ui.say_command("undo", command);
    }
    (!commands.is_empty()).then(|| commands.join(" && "))
}
