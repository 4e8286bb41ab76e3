//! `enable` and `disable`: switch skills on and off in an agent's own settings, after showing the change.

use openoxide_app::switch::{SwitchChoice, SwitchInput, apply, change_answer, plan};
use openoxide_app::{SettingsOwner, SwitchOutcome, SwitchPlan, Workspace, diff, paths, problems};

use crate::args::Common;
use crate::asking::AskingArgs;
use crate::session::open_workspace;
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
    let choices = plan(&workspace, &input)?;
    ui.warn_of_settings(&workspace, problems::of_settings(&workspace));
    let plans = chosen(ui, args, choices, enabled)?.into_iter().map(|choice| choice.plan);
    let plans = plans.collect::<Result<Vec<SwitchPlan>, _>>()?;
    for plan in &plans {
        show(ui, &workspace, args, plan);
    }
    let asking = AskingArgs { yes: args.yes, no_input: false };
    if plans.iter().any(SwitchPlan::changes_file) && !asking.consent(ui, "Write this?")? {
        return Err(CommandError::no("nothing was written").into());
    }
    let (mut outcomes, mut kept) = (Vec::new(), Vec::new());
    for plan in &plans {
        let switched = apply(&workspace, plan)?;
        report(ui, &workspace, plan, &switched);
        if switched.iter().any(|outcome| outcome.changed) {
            kept.push(plan);
        } else if plan.changes_file() {
            take_back(ui, args, &workspace, plan, &switched);
        }
        outcomes.extend(switched);
    }
    let undo: Vec<String> = kept.into_iter().filter_map(|plan| undo(ui, args, plan)).collect();
    for undo in &undo {
        ui.say(&format!("undo: {undo}"));
    }
    ui.json_if_asked(&change_answer(&outcomes, enabled, undo.into_iter().next()))?;
    let is_so = outcomes.iter().all(|outcome| outcome.ineffective_reason.is_none());
    Ok(if is_so { ExitStatus::Done } else { ExitStatus::No })
}

/// Returns the agents that are meant. If there are several, a person at a terminal says which.
fn chosen(
    ui: &Ui,
    args: &SwitchArgs,
    mut choices: Vec<SwitchChoice>,
    enabled: bool,
) -> Result<Vec<SwitchChoice>, CommandError> {
    // Where no agent can switch them, the first says why.
    if choices.iter().all(|choice| choice.plan.is_err()) {
        choices.truncate(1);
    }
    if choices.len() == 1 {
        return Ok(choices);
    }
    for error in choices.iter().filter_map(|choice| choice.plan.as_ref().err()) {
        ui.warn(&safe(&error.to_string()));
    }
    choices.retain(|choice| choice.plan.is_ok());
    if choices.len() == 1 {
        return Ok(choices);
    }
    // Where nothing would change there is nothing to choose, unless that is so everywhere.
    let changes = |choice: &SwitchChoice| choice.plan.as_ref().is_ok_and(SwitchPlan::changes_file);
    if !choices.iter().any(changes) {
        return Ok(choices);
    }
    choices.retain(changes);
    if choices.len() == 1 {
        return Ok(choices);
    }
    let titles: Vec<String> = choices.iter().map(|choice| choice.title.clone()).collect();
    let question = if enabled { "Switch on in which agents?" } else { "Switch off in which agents?" };
    let asking = AskingArgs { yes: args.yes, no_input: false };
    let Some(wanted) = asking.choose(ui, question, &titles) else { return Err(ambiguous(ui, args, &choices, enabled)) };
    if wanted.is_empty() {
        return Err(CommandError::no("nothing was written"));
    }
    let mut index = 0..;
    choices.retain(|_| index.next().is_some_and(|index| wanted.contains(&index)));
    Ok(choices)
}

/// Says what to type where several agents could be meant and nobody can be asked.
fn ambiguous(ui: &Ui, args: &SwitchArgs, choices: &[SwitchChoice], enabled: bool) -> CommandError {
    let commands = choices.iter().map(|choice| format!("`{}`", command(ui, args, &args.skills, &choice.host, enabled)));
    let titles: Vec<String> = choices.iter().map(|choice| safe(&choice.title)).collect();
    CommandError::failed(format!("several of your agents see this, so nothing was written: {}", titles.join(", ")))
        .hint(format!("say which: {}", commands.collect::<Vec<_>>().join(", ")))
}

fn command(ui: &Ui, args: &SwitchArgs, skills: &[String], host: &str, enabled: bool) -> String {
    let mut words: Vec<String> = skills.iter().map(|skill| typed::shown_word(skill)).collect();
    // What looks like an option makes all of them stand behind the options.
    words.sort_by_key(|word| !word.starts_with('-'));
    let common = Common { host: Some(host.to_owned()), ..ui.common.clone() };
    let options = if args.in_project { "--in-project" } else { "" };
    typed::command(&common, if enabled { "enable" } else { "disable" }, Some(&words.join(" ")), options)
}

/// Shows what would be written. It is shown even with `--quiet` if it is asked about.
fn show(ui: &Ui, workspace: &Workspace, args: &SwitchArgs, plan: &SwitchPlan) {
    let path = paths::short(workspace, &plan.file);
    let change = safe_lines(&diff::unified(&path, &plan.before, &plan.after));
    if plan.changes_file() {
        let text = format!("{}\n{}", safe(&plan.title), change.trim_end());
        if args.yes { ui.say(&text) } else { ui.ask(&text) }
    }
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
        ui.say(&format!("{file} had nothing else in it, so it is removed"));
    }
}

/// Says that a change without effect was taken back, and where the setting is that decides.
fn take_back(ui: &Ui, args: &SwitchArgs, workspace: &Workspace, plan: &SwitchPlan, outcomes: &[SwitchOutcome]) {
    ui.say(&format!("the change had no effect, so {} is as it was", paths::short(workspace, &plan.file)));
    let project = workspace.project.to_string_lossy();
    let mut reasons = outcomes.iter().filter_map(|outcome| outcome.ineffective_reason.as_ref());
    if !args.in_project && reasons.any(|reason| reason.contains(&*project)) {
        let in_project = SwitchArgs { in_project: true, ..args.clone() };
        ui.hint(&command(ui, &in_project, &plan.skills, &plan.host, plan.enabled));
    }
}

/// Says how to take back what was written.
fn undo(ui: &Ui, args: &SwitchArgs, plan: &SwitchPlan) -> Option<String> {
    if !plan.changes_file() {
        return None;
    }
    if !plan.lost.is_empty() {
        plan.lost.iter().for_each(|lost| ui.say(&format!("undo by hand: set {}", safe(lost))));
        return None;
    }
    Some(command(ui, args, &plan.skills, &plan.host, !plan.enabled))
}
