//! `activate`: what the model is sent when a skill is called.

use std::path::PathBuf;

use openoxide_app::activate::{self, ActivateInput};
use openoxide_app::{
    Call, CallArguments, Caller, Depth, RemoteName, Session as Conversation, SkillRef, Snapshot,
    mentions::turn_of_text, off::skills_off, record as recording,
};
use openoxide_wire::ActivateAnswer;

use crate::asking::{Asking, AskingArgs};
use crate::commands::{mentions, remote};
use crate::error::{CommandError, unknown_skill};
use crate::session::{search, unknown_skill_hint};
use crate::ui::{ExitStatus, Ui, safe, safe_lines};
use crate::{args::caller, typed};

mod record;

/// Print what the model gets when a skill is called
///
/// Only the text goes to standard output. Commands in a skill's text run in a sandbox, and only if you approve; without a
/// terminal they do not run, and a note in the text says so.
#[derive(Debug, clap::Args)]
pub(crate) struct ActivateArgs {
    /// The skill, by name or path; mcp:SERVER/NAME for a skill of an MCP server
    #[arg(required_unless_present_any = ["turn", "reattach", "list"])]
    skill: Option<String>,
    /// The arguments of the call, word by word
    #[arg(value_name = "ARG")]
    words: Vec<String>,
    /// The arguments of the call as one text, as a person types them
    #[arg(long, value_name = "STRING", conflicts_with = "words", allow_hyphen_values = true)]
    raw_args: Option<String>,
    /// Call the skills that this message of a user names; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["skill", "words", "raw_args", "caller"], allow_hyphen_values = true)]
    turn: Option<String>,
    /// With --turn, also name a skill by its path, before the text (can be repeated)
    #[arg(long, value_name = "[NAME=]PATH", requires = "turn", conflicts_with = "skill")]
    item: Vec<String>,
    /// With --turn, a connector with this name exists (can be repeated) [config: connectors.names]
    #[arg(long, value_name = "NAME", requires = "turn", conflicts_with = "skill")]
    connector: Vec<String>,
    /// Who calls
    #[arg(long = "as", value_name = "WHO", default_value = "user", value_parser = caller())]
    caller: Caller,
    /// Continue the conversation that this file records
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print what the recorded conversation gets again after it was compacted
    #[arg(long, requires = "record", conflicts_with_all = ["skill", "list"])]
    reattach: bool,
    /// List the content of the record
    #[arg(long, requires = "record", conflicts_with = "skill")]
    list: bool,
    #[command(flatten)]
    asking: AskingArgs,
}

pub(crate) fn activate(ui: &Ui, args: &ActivateArgs) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    let mut conversation = match &args.record {
        Some(file) => recording::open(file)?,
        None => Conversation::new(""),
    };
    if args.list {
        return record::list(ui, &snapshot, &conversation);
    }
    if args.reattach {
        return record::reattach(ui, &snapshot, &conversation);
    }
    let mut asking = Asking::new(ui, &snapshot, &args.asking);
    let mut operation = activate::activate(&snapshot, input(ui, &snapshot, args)?)?;
    if let Some(name) = args.skill.as_deref().and_then(RemoteName::parse) {
        if args.record.is_some() {
            return Err(CommandError::failed("a record cannot hold skills of servers yet")
                .hint("leave --record away")
                .into());
        }
        // A server or a skill that is not there at all has a status of its own.
        remote::check(&snapshot, &mut asking, name)?;
    }
    let done = asking.drive(&mut operation, &mut conversation);
    if let Some(file) = &args.record {
        recording::save(&conversation, file)?;
    }
    let answer = operation.answer(&done);
    show(ui, &answer)?;
    ui.notices(&answer.notices);
    for said in &done.verdict.messages {
        ui.warn(&format!("{}: {}", safe(&said.skill), safe(&said.text)));
    }
    asking.tell_unasked(&again(ui, args));
    Ok(tell_refused(ui, &snapshot, args, &answer))
}

fn input(ui: &Ui, snapshot: &Snapshot, args: &ActivateArgs) -> anyhow::Result<ActivateInput> {
    let Some(text) = &args.turn else {
        let skill = SkillRef::Typed(args.skill.clone().unwrap_or_default()).resolve_call(snapshot)?;
        return Ok(ActivateInput::Skill(Call { skill, caller: args.caller, arguments: given(args) }));
    };
    let text = if text == "-" { mentions::read(ui)? } else { text.clone() };
    let turn = turn_of_text(&snapshot.workspace, &snapshot.view, text, &args.item, &args.connector);
    Ok(ActivateInput::Turn(turn, Caller::User))
}

fn given(args: &ActivateArgs) -> CallArguments {
    match (&args.raw_args, args.words.is_empty()) {
        (Some(raw), _) => CallArguments::Raw(raw.clone()),
        (None, true) => CallArguments::Nothing,
        (None, false) => CallArguments::Words(args.words.clone()),
    }
}

fn show(ui: &Ui, answer: &ActivateAnswer) -> anyhow::Result<()> {
    if ui.common.json {
        return ui.json(answer).map(drop);
    }
    ui.messages(&answer.messages)?;
    for (skill, plan) in answer.activated.iter().filter_map(|one| Some((&one.name, one.fork.as_ref()?))) {
        ui.message(&plan.prompt)?;
        let meanwhile = if plan.background { ", in the background" } else { "" };
        ui.say(&format!("`{}` is for an agent of its own, `{}`{meanwhile}", safe(skill), safe(&plan.agent_type)));
    }
    Ok(())
}

/// Writes the command that asks nothing.
fn again(ui: &Ui, args: &ActivateArgs) -> String {
    let word = |text: &String| typed::shown_word(text);
    let mut words: Vec<String> = args.skill.iter().chain(&args.words).map(word).collect();
    words.extend(args.raw_args.iter().map(|raw| format!("--raw-args {}", word(raw))));
    words.extend(args.turn.iter().map(|turn| format!("--turn {}", word(turn))));
    words.extend(args.item.iter().map(|item| format!("--item {}", word(item))));
    words.extend((args.caller == Caller::Model).then(|| "--as model".to_owned()));
    format!("{} {} --yes", ui.command("activate"), words.join(" "))
}

/// Returns what to do where a skill that is called is not there; `question` asks whether another one was meant.
fn remedy(ui: &Ui, snapshot: &Snapshot, args: &ActivateArgs, question: Option<&str>) -> String {
    match (skills_off(&snapshot.workspace, &snapshot.view), question, &args.skill) {
        (Some(off), None, _) => off.remedy(),
        // A model learns no name that another agent's rules give away.
        (_, _, Some(skill)) if args.caller == Caller::User => {
            unknown_skill_hint(ui, &snapshot.workspace, skill, question)
        }
        _ => unknown_skill(&ui.common, question),
    }
}

/// Says what is not sent. A turn goes on without a skill that cannot be sent; a call of one is then answered with no.
fn tell_refused(ui: &Ui, snapshot: &Snapshot, args: &ActivateArgs, answer: &ActivateAnswer) -> ExitStatus {
    for ignored in &answer.ignored {
        ui.warn(&format!("`{}` names no skill: {}", safe(&ignored.text), safe(&ignored.reason)));
    }
    let goes_on = args.turn.is_some() && !answer.activated.is_empty();
    for refusal in &answer.refused {
        match goes_on {
            true => ui.warn(&safe_lines(&refusal.text)),
            false => ui.problem(&safe_lines(&refusal.text)),
        }
        match &refusal.help {
            help if refusal.why == "unknown" => ui.hint(&remedy(ui, snapshot, args, help.as_deref())),
            Some(help) => ui.hint(&safe(help)),
            None => {}
        }
    }
    if args.turn.is_some() && answer.activated.is_empty() && answer.refused.is_empty() {
        ui.say("the text names no skill");
    }
    if answer.refused.is_empty() || goes_on { ExitStatus::Done } else { ExitStatus::No }
}
