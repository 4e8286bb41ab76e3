//! Decides on the commands in a skill's text, prepares them, and puts their output in place.

use std::time::Duration;

use openoxide_config::PermissionKind;
use openoxide_permissions::{Action, Permission};
use openoxide_sandbox::{Command, Ended, Limits, Outcome, SandboxError};
use openoxide_skills::catalog::{Entry, View};
use openoxide_skills::host::{OnFailure, ShellRules, Variable};
use openoxide_skills::{expand::ShellPiece, text::path_text};

use super::loading::Loading;
use crate::dependency::{redact, set_variables};
use crate::{Run, Runtime, Session};

pub(crate) enum CommandDecision {
    Run(Box<Run>),
    /// This takes its place.
    Text(String),
    /// The skill is not called, and this is said.
    Abort(String),
}

/// Decides on the next command of a skill.
pub(crate) fn next(runtime: &Runtime, session: &Session, loading: &mut Loading) -> Option<CommandDecision> {
    let piece = loading.expanded.commands().nth(loading.outputs.len())?.clone();
    let reason = match refusal(runtime, loading, &piece) {
        Some(reason) => reason,
        None => match run(runtime, session, loading, &piece) {
            Ok(run) => return Some(CommandDecision::Run(Box::new(run))),
            Err(reason) => {
                loading.troubles.push(format!("`{}` was not run: {reason}", piece.command));
                reason
            }
        },
    };
    Some(not_run(runtime.view(), &piece, &reason))
}

fn refusal(runtime: &Runtime, loading: &Loading, piece: &ShellPiece) -> Option<String> {
    if let Some(refused) = &piece.refused {
        return Some(refused.to_string());
    }
    if !runtime.lists_command(loading, std::slice::from_ref(&piece.command)) {
        return Some("the skill's `allowed-tools` does not list it".to_owned());
    }
    match runtime.decide(Permission::Shell, &piece.command).action {
        Action::Deny => Some("a permission rule denies it".to_owned()),
        Action::Allow => None,
        Action::Ask if loading.may_run(PermissionKind::Shell, &piece.command) => None,
        Action::Ask => Some("the skill is not trusted to run commands".to_owned()),
    }
}

fn not_run(view: &View, piece: &ShellPiece, reason: &str) -> CommandDecision {
    instead(&rules(view), view.host.texts.command_denied(&piece.written, reason))
}

/// Puts a text in the place of a command that failed, or ends the call with it where the host does.
fn instead(rules: &ShellRules, text: String) -> CommandDecision {
    if rules.failure == OnFailure::Abort { CommandDecision::Abort(text) } else { CommandDecision::Text(text) }
}

fn rules(view: &View) -> ShellRules {
    view.host.shell.clone().unwrap_or_default()
}

/// Makes the command that is run in the sandbox: on a copy of the skill, reading the project, writing nothing.
fn run(runtime: &Runtime, session: &Session, loading: &mut Loading, piece: &ShellPiece) -> Result<Run, String> {
    let (settings, rules) = (&runtime.sandbox, rules(runtime.view()));
    let limits = Limits {
        time: settings.shell_time.min(Duration::from_secs(rules.seconds)),
        output: usize::try_from(settings.shell_output).unwrap_or(usize::MAX),
        ..runtime.limits()
    };
    let copy = loading.private_copy()?;
    let mut command = Command::shell(&piece.script, limits);
    command.merge = rules.stderr;
    let folder = (Variable::SkillDir.environment_name().to_owned(), path_text(&copy));
    let ours = piece.env.iter().cloned().chain([folder]);
    set_variables(&mut command, session, &loading.variables_for(PermissionKind::Shell), ours)?;
    let in_force = runtime.in_force_for(loading)?;
    runtime.confine(&mut command, &runtime.view().around.cwd, &copy, &in_force.grants)?;
    loading.troubles.extend(in_force.withheld.map(|without| format!("`{}` runs {without}", piece.command)));
    Ok(Run { skill: loading.name(), written: piece.command.clone(), command })
}

/// Says what went wrong with a command that was run.
pub(crate) fn trouble(view: &View, piece: &ShellPiece, outcome: &Result<Outcome, SandboxError>) -> Option<String> {
    let is_fine = |status| view.host.shell.as_ref().is_some_and(|rules| rules.is_fine(&piece.command, status));
    match outcome {
        Ok(Outcome { ended: Ended::Exit(status), .. }) if is_fine(*status) => None,
        Ok(outcome) => Some(format!("`{}` {}", piece.command, outcome.ended)),
        Err(error) => Some(format!("`{}` was not run: {error}", piece.command)),
    }
}

/// Tells what takes the place of a command that was run.
pub(crate) fn ran(
    view: &View,
    session: &Session,
    entry: &Entry,
    piece: &ShellPiece,
    outcome: Result<Outcome, SandboxError>,
) -> CommandDecision {
    let (rules, texts) = (rules(view), &view.host.texts);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return not_run(view, piece, &error.to_string()),
    };
    let said =
        |bytes: &[u8]| limited(&redact(session, entry, String::from_utf8_lossy(bytes).into_owned()), rules.output_max);
    let mut output = said(&outcome.stdout);
    let is_fine = matches!(outcome.ended, Ended::Exit(status) if rules.is_fine(&piece.command, status));
    if is_fine || rules.failure == OnFailure::Ignore {
        return CommandDecision::Text(texts.command_output(&rules, &output));
    }
    if !rules.stderr && !outcome.stderr.is_empty() {
        output += &said(&outcome.stderr);
    }
    instead(&rules, texts.command_failed(&piece.written, &output, &outcome.ended.to_string()))
}

/// Cuts output to so many characters, and says so.
fn limited(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}\n[output cut after {max} characters]", &text[..at]),
        None => text.to_owned(),
    }
}
