//! `run`: a script of a skill, in the sandbox.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _};

use anyhow::Context as _;
use openoxide_app::run::{self, RunInput};
use openoxide_app::{
    Caller, CommandRunner, Depth, Ended, RefusalReason, ScriptOutcome, Session as Conversation, SkillRef, drive,
};

use crate::args::{Common, caller};
use crate::asking::{Asking, AskingArgs, tell_unasked};
use crate::commands::messages::warn_notices;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::typed;
use crate::ui::{Ui, safe, safe_lines};

/// The most bytes of standard input that a script gets.
const STDIN_MAX: u64 = 16 * 1024 * 1024;

/// Run a script of a skill, in a sandbox
///
/// It runs only if you allow it, for the skill's files as they are now, and what runs is a copy of exactly these. What it
/// writes goes to standard output and standard error. The exit status is 0 if the script ended with 0, 1 if it ended
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
    /// Let it read our standard input
    #[arg(long)]
    stdin: bool,
    /// Who calls: what they may not call, they may not run
    #[arg(long = "as", value_name = "WHO", default_value = "user", value_parser = caller())]
    caller: Caller,
    #[command(flatten)]
    asking: AskingArgs,
}

pub(crate) fn run(ui: &Ui, common: &Common, args: &RunArgs) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    session.warn(ui);
    let snapshot = session.search(Depth::Quick);
    let mut script = run::run(
        &snapshot,
        RunInput {
            skill: SkillRef::Typed(args.skill.clone()),
            script: args.script.clone(),
            arguments: args.arguments.clone(),
            stdin: if args.stdin { stdin()? } else { Vec::new() },
            caller: args.caller,
        },
    )?;
    let runner = CommandRunner::default();
    let mut asking = Asking::new(ui, &snapshot, &args.asking);
    let done = drive(&mut script, &mut Conversation::new(""), &mut asking, |run| runner.run(run));
    let isolation = runner.mechanism().unwrap_or("none");
    if common.json {
        ui.json(&run::answer(&snapshot, &done, isolation))?;
    } else if let Ok(ran) = &done.result {
        ui.output(&ran.outcome.stdout, &ran.outcome.stderr)?;
    }
    warn_notices(ui, &done.notices);
    for question in &asking.unasked {
        tell_unasked(ui, &again(&session, args), question);
    }
    ended(ui, &done)
}

/// Writes the command that asks nothing.
fn again(session: &Session, args: &RunArgs) -> String {
    let word = |text: &str| typed::word(text).unwrap_or_else(|| format!("'{}'", safe(text)));
    let mut words = vec![word(&args.skill), word(&args.script), "--yes".to_owned()];
    words.extend(args.stdin.then(|| "--stdin".to_owned()));
    words.extend((!args.arguments.is_empty()).then(|| "--".to_owned()));
    words.extend(args.arguments.iter().map(|argument| word(&argument.to_string_lossy())));
    format!("{} {}", session.command("run"), words.join(" "))
}

fn stdin() -> anyhow::Result<Vec<u8>> {
    let input = std::io::stdin().lock();
    if input.is_terminal() {
        return Err(CommandError::failed("--stdin reads a pipe or a file, and this is a terminal")
            .hint("COMMAND | openoxide run …")
            .into());
    }
    let mut bytes = Vec::new();
    input.take(STDIN_MAX + 1).read_to_end(&mut bytes).context("failed to read standard input")?;
    if bytes.len() as u64 > STDIN_MAX {
        return Err(CommandError::failed("standard input is longer than 16 MiB")
            .hint("let the script read a file")
            .into());
    }
    Ok(bytes)
}

/// Says how it ended, where that is no success.
fn ended(ui: &Ui, done: &ScriptOutcome) -> anyhow::Result<ExitStatus> {
    match &done.result {
        Ok(ran) if ran.outcome.succeeded() => {
            if ran.outcome.truncated {
                ui.warn("it wrote more than is shown");
            }
            Ok(ExitStatus::Done)
        }
        Ok(ran) => {
            ui.problem(&format!("`{}/{}` {}", safe(&ran.skill), safe(&ran.script), ran.outcome.ended));
            if limit(ran.outcome.ended) {
                ui.hint("`openoxide config` shows the limits, as `sandbox.*`");
            }
            Ok(ExitStatus::No)
        }
        Err(refusal) if refusal.why == RefusalReason::NotRun => {
            let told = CommandError::failed(safe_lines(&refusal.text));
            Err(refusal.help.iter().fold(told, |told, help| told.hint(safe(help))).into())
        }
        Err(refusal) => {
            ui.problem(&safe_lines(&refusal.text));
            refusal.help.iter().for_each(|help| ui.hint(&safe(help)));
            Ok(ExitStatus::No)
        }
    }
}

fn limit(ended: Ended) -> bool {
    !matches!(ended, Ended::Exit(_) | Ended::Signal(_) | Ended::Stopped)
}
