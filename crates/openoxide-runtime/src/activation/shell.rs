//! Decides on the commands in a skill's text, prepares them, and puts their output in place.

use std::time::Duration;

use openoxide_permissions::{Action, Permission};
use openoxide_sandbox::{Command, Ended, Limits, Outcome, SandboxError};
use openoxide_skills::catalog::{Entry, View};
use openoxide_skills::expand::ShellPiece;
use openoxide_skills::host::{OnFailure, ShellRules, Variable};

use super::loading::Loading;
use crate::dependency::{redact, secrets_into};
use crate::runtime::Runtime;
use crate::session::Session;
use crate::step::Run;

/// What becomes of a command.
pub(crate) enum CommandDecision {
    /// It is run.
    Run(Box<Run>),
    /// This takes its place.
    Text(String),
    /// The skill is not called, and this is said.
    Abort(String),
}

/// Decides on the next command of a skill.
pub(crate) fn next(
    runtime: &Runtime,
    session: &Session,
    entry: &Entry,
    loading: &mut Loading,
) -> Option<CommandDecision> {
    let piece = loading.expanded.commands().nth(loading.outputs.len())?.clone();
    let rules = runtime.view().host.shell.clone().unwrap_or_default();
    Some(match refusal(runtime, session, loading, &piece) {
        Some(reason) => not_run(runtime.view(), &rules, &piece, &reason),
        None => match run(runtime, session, entry, loading, &rules, &piece) {
            Ok(run) => CommandDecision::Run(Box::new(run)),
            Err(reason) => {
                loading.troubles.push(format!("`{}` was not run: {reason}", piece.command));
                not_run(runtime.view(), &rules, &piece, &reason)
            }
        },
    })
}

/// Returns why a command may not run.
fn refusal(runtime: &Runtime, session: &Session, loading: &Loading, piece: &ShellPiece) -> Option<String> {
    if let Some(refused) = &piece.refused {
        return Some(refused.to_string());
    }
    if !runtime.lists_command(loading, std::slice::from_ref(&piece.command)) {
        return Some("the skill's `allowed-tools` does not list it".to_owned());
    }
    match runtime.decide(session, Permission::Shell, &piece.command).action {
        Action::Deny => Some("a permission rule denies it".to_owned()),
        Action::Allow => None,
        Action::Ask if loading.may_run(openoxide_config::PermissionKind::Shell, &piece.command) => None,
        Action::Ask => Some("the skill is not trusted to run commands".to_owned()),
    }
}

fn not_run(view: &View, rules: &ShellRules, piece: &ShellPiece, reason: &str) -> CommandDecision {
    let text = view.host.texts.command_denied(&piece.written, reason);
    if rules.failure == OnFailure::Abort { CommandDecision::Abort(text) } else { CommandDecision::Text(text) }
}

/// Makes the command that is run in the sandbox: on a copy of the skill, reading the project, writing nothing.
fn run(
    runtime: &Runtime,
    session: &Session,
    entry: &Entry,
    loading: &mut Loading,
    rules: &ShellRules,
    piece: &ShellPiece,
) -> Result<Run, String> {
    let settings = &runtime.sandbox;
    let limits = Limits {
        time: settings.shell_time.min(Duration::from_secs(rules.seconds)),
        output: usize::try_from(settings.shell_output).unwrap_or(usize::MAX),
        ..runtime.limits()
    };
    let copy = loading.private_copy()?;
    let mut command = Command::shell(&piece.script, limits);
    command.merge = rules.stderr;
    // First, so that no skill can replace an argument by a variable of that name.
    secrets_into(session, &loading.variables_for(openoxide_config::PermissionKind::Shell), &mut command)?;
    for (name, value) in &piece.env {
        command.env.set(name, value).map_err(|error| error.to_string())?;
    }
    let folder = openoxide_skills::text::path_text(&copy);
    command.env.set(Variable::SkillDir.environment_name(), folder).map_err(|error| error.to_string())?;
    let in_force = runtime.in_force_for(session, entry, loading)?;
    runtime.confine(&mut command, &runtime.view().around.cwd, &copy, &in_force)?;
    Ok(Run { skill: entry.skill.name.to_string(), written: piece.command.clone(), command })
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
    let (rules, texts) = (view.host.shell.clone().unwrap_or_default(), &view.host.texts);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return not_run(view, &rules, piece, &error.to_string()),
    };
    let said = |bytes: &[u8]| redact(session, entry, String::from_utf8_lossy(bytes).into_owned());
    let output = limited(&said(&outcome.stdout), rules.output_max);
    match outcome.ended {
        Ended::Exit(status) if rules.is_fine(&piece.command, status) => {
            CommandDecision::Text(texts.command_output(&rules, &output))
        }
        ended => {
            let said = if rules.stderr || outcome.stderr.is_empty() {
                output.clone()
            } else {
                format!("{output}{}", limited(&said(&outcome.stderr), rules.output_max))
            };
            match rules.failure {
                OnFailure::Ignore => CommandDecision::Text(texts.command_output(&rules, &output)),
                OnFailure::InPlace => {
                    CommandDecision::Text(texts.command_failed(&piece.written, &said, &ended.to_string()))
                }
                OnFailure::Abort => {
                    CommandDecision::Abort(texts.command_failed(&piece.written, &said, &ended.to_string()))
                }
            }
        }
    }
}

/// Cuts output to so many characters, and says so.
fn limited(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}\n[output cut after {max} characters]", &text[..at]),
        None => text.to_owned(),
    }
}
