//! `enable` and `disable`: switch skills on and off in an agent's own settings, after showing the change.

use openoxide_app::switch::{SwitchChoice, SwitchChoices, SwitchInput, apply, change_answer, plan, works_in_project};
use openoxide_app::{SettingsOwner, SwitchOutcome, SwitchPlan, Workspace, diff, paths, problems};

use crate::args::Common;
use crate::asking::AskingArgs;
use crate::session::{open_workspace, removed_line, with_finder};
use crate::ui::{ExitStatus, Ui, safe, safe_lines};
use crate::{error::CommandError, typed};

/// The skills, and whose settings are written.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SwitchArgs {
    /// Names of skills, or paths of their folders or files
    #[arg(value_name = "SKILL", required = true)]
    skills: Vec<String>,
    /// Write to the project's settings instead of yours
    #[arg(long)]
    in_project: bool,
    /// Write without asking
    #[arg(long, short = 'y')]
    yes: bool,
}

pub(crate) fn switch(ui: &Ui, args: &SwitchArgs, enabled: bool) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    let owner = if args.in_project { SettingsOwner::Project } else { SettingsOwner::User };
    let input = SwitchInput { skills: args.skills.clone(), enabled, owner };
    ui.warn_of_settings(&workspace, problems::of_settings(&workspace));
    let choices = plan(&workspace, &input).map_err(|error| match args.skills.as_slice() {
        // What one agent finds of several names is no help with the others.
        [_] => with_finder(ui, &workspace, error),
        _ => error.into(),
    })?;
    choices.refused.iter().for_each(|error| ui.warn(&safe(&error.to_string())));
    let mut outcomes = Vec::new();
    for done in &choices.done {
        report(ui, &workspace, &done.plan, &done.outcomes);
        outcomes.extend(done.outcomes.iter().cloned());
    }
    let Some(chosen) = chosen(ui, args, &workspace, choices)? else {
        ui.say("nothing was written");
        return Ok(ExitStatus::No);
    };
    let written = || chosen.iter().filter(|choice| choice.writes());
    written().for_each(|choice| show(ui, &workspace, args, &choice.plan));
    let asking = AskingArgs { yes: args.yes, no_input: false };
    if written().next().is_some() && !asking.consent(ui, "Write this?")? {
        ui.say("nothing was written");
        return Ok(ExitStatus::No);
    }
    let mut undo = Vec::new();
    for choice in &chosen {
        let switched = apply(&workspace, choice)?;
        report(ui, &workspace, &choice.plan, &switched);
        if switched.iter().any(|outcome| outcome.changed) {
            undo.extend(undo_of(ui, args, &choice.plan));
        } else {
            say_ineffective(ui, args, &workspace, choice);
        }
        outcomes.extend(switched);
    }
    for undo in &undo {
        ui.say_command("undo", undo);
    }
    ui.json_if_asked(&change_answer(&outcomes, enabled, undo.into_iter().next()))?;
    let is_so = outcomes.iter().all(|outcome| outcome.ineffective_reason.is_none());
    Ok(if is_so { ExitStatus::Done } else { ExitStatus::No })
}

/// Returns the agents that are meant. If there are several, a person at a terminal says which, or that none is.
fn chosen(
    ui: &Ui,
    args: &SwitchArgs,
    workspace: &Workspace,
    choices: SwitchChoices,
) -> Result<Option<Vec<SwitchChoice>>, CommandError> {
    if !choices.is_ambiguous() {
        return Ok(Some(choices.open));
    }
    let titles: Vec<String> = choices.open.iter().map(|choice| choice.plan.title.clone()).collect();
    let is_on = choices.open.iter().any(|choice| choice.plan.enabled);
    let question = if is_on { "Switch on in which agents?" } else { "Switch off in which agents?" };
    let asking = AskingArgs { yes: args.yes, no_input: false };
    let Some(wanted) = asking.choose(ui, question, &titles) else {
        return Err(ambiguous(ui, args, workspace, &choices));
    };
    let open = choices.open.into_iter().enumerate().filter(|(index, _)| wanted.contains(index));
    Ok((!wanted.is_empty()).then(|| open.map(|(_, choice)| choice).collect()))
}

/// Says what to type where several agents could be meant and nobody can be asked.
fn ambiguous(ui: &Ui, args: &SwitchArgs, workspace: &Workspace, choices: &SwitchChoices) -> CommandError {
    let all = choices.done.iter().chain(&choices.open);
    let titles: Vec<String> = all.map(|choice| safe(&choice.plan.title)).collect();
    let mut commands = Vec::new();
    for choice in &choices.open {
        if choice.is_effective() || choice.writes() {
            commands.push(format!("`{}`", command(ui, args, &args.skills, &choice.plan.host, choice.plan.enabled)));
        } else {
            report(ui, workspace, &choice.plan, &choice.outcomes);
            commands.extend(in_project(ui, args, workspace, choice).map(|command| format!("`{command}`")));
        }
    }
    let error = format!("several of your agents see this, so nothing was written: {}", titles.join(", "));
    match commands.is_empty() {
        true => CommandError::failed(error),
        false => CommandError::failed(error).hint(format!("say which: {}", commands.join(", "))),
    }
}

fn command(ui: &Ui, args: &SwitchArgs, skills: &[String], host: &str, enabled: bool) -> String {
    let words: Vec<String> = skills.iter().map(|skill| typed::shown_word(skill)).collect();
    let common = Common { host: Some(host.to_owned()), ..ui.common.clone() };
    let options = if args.in_project { "--in-project" } else { "" };
    typed::command(&common, if enabled { "enable" } else { "disable" }, Some(&words.join(" ")), options)
}

/// Shows what would be written. It is shown even with `--quiet` if it is asked about.
fn show(ui: &Ui, workspace: &Workspace, args: &SwitchArgs, plan: &SwitchPlan) {
    let path = paths::short(workspace, &plan.file);
    let change = safe_lines(&diff::unified(&path, &plan.before, &plan.after));
    let text = format!("{}\n{}", safe(&plan.title), change.trim_end());
    if args.yes { ui.say(&text) } else { ui.ask(&text) }
}

/// Says for each skill whether the agent now does as wanted.
fn report(ui: &Ui, workspace: &Workspace, plan: &SwitchPlan, outcomes: &[SwitchOutcome]) {
    let (wanted, other) = if plan.enabled { ("on", "off") } else { ("off", "on") };
    let (title, file) = (safe(&plan.title), paths::short(workspace, &plan.file));
    for outcome in outcomes {
        let skill = safe(&paths::abbreviate_home(workspace, &outcome.skill));
        match &outcome.ineffective_reason {
            Some(reason) => {
                let reason = safe(&paths::abbreviate_home(workspace, reason));
                ui.warn(&format!("{skill} is still {other} in {title}: {reason}"));
            }
            None if outcome.changed => ui.say(&format!("{skill} is {wanted} in {title} ({file})")),
            None => ui.say(&format!("{skill} was {wanted} already in {title}")),
        }
    }
    if outcomes.iter().any(|outcome| outcome.changed) && plan.after.is_empty() {
        ui.say(&removed_line(workspace, &plan.file));
    }
}

/// Says that nothing was written because it would have no effect, and which command has one.
fn say_ineffective(ui: &Ui, args: &SwitchArgs, workspace: &Workspace, choice: &SwitchChoice) {
    if choice.plan.changes_file() {
        let path = paths::short(workspace, &choice.plan.file);
        ui.say(&format!("{path} is as it was: the change would have no effect"));
    }
    if let Some(command) = in_project(ui, args, workspace, choice) {
        ui.hint_command(&command);
    }
}

/// Writes the command that does in the project's settings what has no effect in the user's, if they do it.
fn in_project(ui: &Ui, args: &SwitchArgs, workspace: &Workspace, choice: &SwitchChoice) -> Option<String> {
    let plan = &choice.plan;
    let in_project = SwitchArgs { in_project: true, ..args.clone() };
    let has_effect = !choice.is_effective() && works_in_project(workspace, plan);
    has_effect.then(|| command(ui, &in_project, &plan.skills, &plan.host, plan.enabled))
}

/// Says how to take back what was written.
fn undo_of(ui: &Ui, args: &SwitchArgs, plan: &SwitchPlan) -> Option<String> {
    if !plan.lost.is_empty() {
        plan.lost.iter().for_each(|lost| ui.say(&format!("undo by hand: set {}", safe(lost))));
        return None;
    }
    Some(command(ui, args, &plan.skills, &plan.host, !plan.enabled))
}
