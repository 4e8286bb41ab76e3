//! `run`: a script of a skill, in the sandbox.

use std::{ffi::OsString, io::IsTerminal as _};

use openoxide_app::{
    Caller, Depth, Ended, RefusalReason, ScriptCall, ScriptOutcome, Session as Conversation, SkillRef, Workspace,
    paths, run,
};

use crate::asking::{Asking, AskingArgs};
use crate::error::{CommandError, unknown_skill};
use crate::session::{read_stdin, search, unknown_skill_hint};
use crate::ui::{ExitStatus, Ui, safe, safe_lines};
use crate::{args::caller, typed::shown_word};

/// Run a script of a skill, in a sandbox
///
/// It runs only if you approve, for the skill's files as they are now, and from a copy of exactly these files. Its output
/// goes to standard output and standard error. The exit status is 0 if the script ended with 0, 1 if it ended
/// otherwise or may not run, and 2 if it could not be run.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The skill, by name or path
    skill: String,
    /// The script, by its path in the skill's folder
    script: String,
    /// Its arguments; put `--` before the first one that begins with `-`
    #[arg(value_name = "ARG")]
    arguments: Vec<OsString>,
    /// Let it read standard input
    #[arg(long)]
    stdin: bool,
    /// Who calls; only a skill that they may call can be run
    #[arg(long = "as", value_name = "WHO", default_value = "user", value_parser = caller())]
    caller: Caller,
    #[command(flatten)]
    asking: AskingArgs,
}

pub(crate) fn run(ui: &Ui, args: &RunArgs) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    let call = ScriptCall {
        skill: SkillRef::Typed(args.skill.clone()).resolve(&snapshot, args.caller)?,
        script: args.script.clone(),
        arguments: args.arguments.clone(),
        stdin: if args.stdin { stdin()? } else { Vec::new() },
        caller: args.caller,
    };
    let mut script = run::run(&snapshot, call)?;
    let mut asking = Asking::new(ui, &snapshot, &args.asking);
    let done = asking.drive(&mut script, &mut Conversation::new(""));
    let answer = run::answer(&snapshot, &done, asking.isolation());
    if ui.common.json {
        ui.json(&answer)?;
    } else if let Ok(ran) = &done.result {
        ui.output(&ran.outcome.stdout, &ran.outcome.stderr)?;
    }
    tell_changes(ui, &snapshot.workspace, &done);
    ui.notices(&answer.notices);
    asking.tell_unasked(&again(ui, args));
    ended(ui, &snapshot.workspace, args, &done)
}

/// Lists what the script changed, and what of it was not kept.
fn tell_changes(ui: &Ui, workspace: &Workspace, done: &ScriptOutcome) {
    const SHOWN: usize = 20;
    let changes = done.result.as_ref().map_or(&[][..], |ran| &ran.outcome.changes);
    let (refused, kept): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.refused.is_some());
    for change in kept.iter().take(SHOWN) {
        ui.say(&format!("{} {}", change.kind.as_str(), paths::short(workspace, &change.path)));
    }
    if kept.len() > SHOWN {
        ui.say(&format!("and {} more; `--json` lists up to a thousand", kept.len() - SHOWN));
    }
    for change in refused.iter().take(SHOWN) {
        let why = change.refused.as_deref().unwrap_or_default();
        ui.warn(&format!("{} was not {}: {why}", paths::short(workspace, &change.path), change.kind.as_str()));
    }
    if refused.len() > SHOWN {
        ui.warn(&format!("{} more changes were not kept", refused.len() - SHOWN));
    }
}

/// Writes the command that asks nothing.
fn again(ui: &Ui, args: &RunArgs) -> String {
    let mut words = vec![shown_word(&args.skill), shown_word(&args.script), "--yes".to_owned()];
    words.extend(args.stdin.then(|| "--stdin".to_owned()));
    words.extend((!args.arguments.is_empty()).then(|| "--".to_owned()));
    words.extend(args.arguments.iter().map(|argument| shown_word(&argument.to_string_lossy())));
    format!("{} {}", ui.command("run"), words.join(" "))
}

fn stdin() -> anyhow::Result<Vec<u8>> {
    let input = std::io::stdin().lock();
    if input.is_terminal() {
        return Err(CommandError::failed("--stdin reads a pipe or a file, and this is a terminal")
            .hint("give it one: `COMMAND | openoxide run …`")
            .into());
    }
    let too_long = CommandError::failed("standard input is longer than 16 MiB");
    read_stdin(input, too_long.hint("let the script read a file"))
}

fn ended(ui: &Ui, workspace: &Workspace, args: &RunArgs, done: &ScriptOutcome) -> anyhow::Result<ExitStatus> {
    match &done.result {
        Ok(ran) if ran.outcome.succeeded() => {
            if ran.outcome.truncated {
                ui.warn("it wrote more than is shown");
            }
            Ok(ExitStatus::Done)
        }
        Ok(ran) => {
            ui.problem(&format!("`{}/{}` {}", safe(&ran.skill), safe(&ran.script), ran.outcome.ended));
            if !matches!(ran.outcome.ended, Ended::Exit(_) | Ended::Signal(_) | Ended::Stopped) {
                ui.hint("`openoxide config` shows the limits, as `sandbox.*`");
            }
            Ok(ExitStatus::No)
        }
        Err(refusal) if refusal.why == RefusalReason::NotRun => {
            let told = CommandError::failed(safe_lines(&refusal.text));
            Err(refusal.help.iter().fold(told, |told, help| told.hint(safe(help))).into())
        }
        Err(refusal) if refusal.why == RefusalReason::Unknown => {
            ui.problem(&safe_lines(&refusal.text));
            ui.hint(&match args.caller {
                Caller::User => unknown_skill_hint(ui, workspace, &args.skill, refusal.help.as_deref()),
                // A model learns no name that another agent's rules give away.
                Caller::Model => unknown_skill(&ui.common, refusal.help.as_deref()),
            });
            Ok(ExitStatus::No)
        }
        Err(refusal) => {
            ui.problem(&safe_lines(&refusal.text));
            refusal.help.iter().for_each(|help| ui.hint(&safe(help)));
            Ok(ExitStatus::No)
        }
    }
}
