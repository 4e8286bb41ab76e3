//! `activate`: what the model is sent when a skill is called.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use clap::ValueEnum;
use openoxide_runtime::{
    Activation, Call, Done, ForkPlan, Given, Notice, Power, Question, Record, Runtime, Session as Conversation, drive,
};
use openoxide_sandbox::{Isolation, Probe};
use openoxide_skills::{Caller, Depth, Message, path_text};
use openoxide_wire::{ActivateAnswer, ActivatedLine, ForkLine, MessageLine, NoticeLine, RefusedLine};

use crate::ExitStatus;
use crate::args::Common;
use crate::asking::{Asking, AskingArgs};
use crate::session::Session;
use crate::ui::{Ui, safe, safe_lines};

mod record;

/// Print what the model is sent when a skill is called
///
/// The text goes to standard output and nothing else does. Commands in a skill's text run only if you allow it, in a
/// sandbox; without a terminal they do not run, and a placeholder says so.
#[derive(Debug, clap::Args)]
pub(crate) struct ActivateArgs {
    /// The skill, by name or path
    #[arg(required_unless_present_any = ["reattach", "list"])]
    skill: Option<String>,
    /// What is said with the call, word by word
    #[arg(value_name = "ARG")]
    words: Vec<String>,
    /// What is said with the call, as a person typed it
    #[arg(long, value_name = "STRING", conflicts_with = "words", allow_hyphen_values = true)]
    raw_args: Option<String>,
    /// Who calls
    #[arg(long = "as", value_name = "WHO", default_value = "user")]
    caller: Who,
    /// Go on with the conversation that is recorded in this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print what the conversation in the record is sent again after it was compacted
    #[arg(long, requires = "record", conflicts_with_all = ["skill", "list"])]
    reattach: bool,
    /// List what the record holds
    #[arg(long, requires = "record", conflicts_with = "skill")]
    list: bool,
    #[command(flatten)]
    asking: AskingArgs,
}

/// Who calls a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Who {
    /// A person
    User,
    /// The model, by a tool
    Model,
}

impl From<Who> for Caller {
    fn from(who: Who) -> Caller {
        match who {
            Who::User => Caller::User,
            Who::Model => Caller::Model,
        }
    }
}

pub(crate) fn activate(ui: &Ui, common: &Common, args: &ActivateArgs) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    let runtime = runtime(&session)?;
    let mut conversation = Conversation::new("");
    if let Some(file) = &args.record {
        conversation.record = Record::load(file)?;
    }
    let Some(skill) = &args.skill else {
        return record::show(ui, common, &session, &runtime, &conversation, args.list);
    };
    let call =
        Call { skill: session.meant(runtime.catalog(), skill), caller: args.caller.into(), arguments: given(args) };
    let mut asking = Asking::new(ui, &session.workspace, &args.asking);
    let mut activation = Activation::new(Arc::clone(&runtime), vec![call]);
    let isolation = LazyLock::new(|| Probe::new().map(|probe| Isolation::probe(&probe)));
    let done = drive(&mut activation, &mut conversation, &mut asking, |run| match &*isolation {
        Ok(isolation) => openoxide_sandbox::run(isolation, &run.command),
        Err(error) => Err(std::io::Error::other(error.to_string()).into()),
    });
    if let Some(file) = &args.record {
        conversation.record.save(file)?;
    }
    let unasked = std::mem::take(&mut asking.unasked);
    report(ui, common, &session, &done, &unasked)
}

/// Makes the runtime of a session.
pub(crate) fn runtime(session: &Session) -> anyhow::Result<Arc<Runtime>> {
    let catalog = Arc::new(session.catalog(Depth::Quick));
    Ok(Arc::new(Runtime::new(&session.workspace, session.view.clone(), catalog)?))
}

fn given(args: &ActivateArgs) -> Given {
    match (&args.raw_args, args.words.is_empty()) {
        (Some(raw), _) => Given::Raw(raw.clone()),
        (None, true) => Given::Nothing,
        (None, false) => Given::Words(args.words.clone()),
    }
}

fn report(
    ui: &Ui,
    common: &Common,
    session: &Session,
    done: &Done,
    unasked: &[Question],
) -> anyhow::Result<ExitStatus> {
    let answer = answer(session, done);
    if common.json {
        ui.json(&answer)?;
    } else {
        print_messages(ui, &answer.messages)?;
        for plan in done.activated.iter().filter_map(|activated| activated.fork.as_ref()) {
            print_texts(ui, [plan.prompt.as_str()])?;
            let meanwhile = if plan.background { ", in the background" } else { "" };
            let agent = safe(&plan.agent_type);
            ui.say(&format!("`{}` is for an agent of its own, `{agent}`{meanwhile}", safe(&plan.skill)));
        }
    }
    tell(ui, &done.notices);
    for question in unasked {
        tell_unasked(ui, session, question);
    }
    for refusal in &done.refused {
        ui.problem(&safe_lines(&refusal.text));
        refusal.help.iter().for_each(|help| ui.hint(&safe(help)));
    }
    Ok(if done.refused.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}

/// Prints what is sent, each message on lines of its own.
pub(crate) fn print_messages(ui: &Ui, messages: &[MessageLine]) -> anyhow::Result<()> {
    print_texts(ui, messages.iter().map(|message| message.text.as_str()))
}

fn print_texts<'t>(ui: &Ui, texts: impl IntoIterator<Item = &'t str>) -> anyhow::Result<()> {
    for text in texts {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        ui.raw(&format!("{text}{end}"))?;
    }
    Ok(())
}

/// Says what people should know.
pub(crate) fn tell(ui: &Ui, notices: &[Notice]) {
    for notice in notices {
        ui.warn(&format!("{}: {}", safe(&notice.skill), safe(&notice.text)));
        notice.help.iter().for_each(|help| ui.hint(&safe(help)));
    }
}

/// Says what did not happen because nobody could be asked, and what would allow it.
fn tell_unasked(ui: &Ui, session: &Session, question: &Question) {
    match question {
        Question::Power { skill, powers, .. } => {
            let what: Vec<&str> = powers.iter().map(Power::title).collect();
            ui.warn(&format!("`{}` was not allowed to {}, because nobody was asked", safe(skill), what.join(" and ")));
            let again = session.command("activate");
            ui.hint(&format!("run it in a terminal to be asked, or with `--yes`: {again} {} --yes", safe(skill)));
        }
        Question::Permission { skill, .. } => {
            ui.hint(&format!("calling `{}` needs a yes: run it in a terminal, or with `--yes`", safe(skill)));
        }
        Question::Server { name, target, .. } => {
            let add = format!("to add `{}` ({}), run it in a terminal, or with `--yes`", safe(name), safe(target));
            ui.hint(&add);
        }
        // A notice says what is missing, and a value is nothing to say yes to.
        Question::Secret { .. } | Question::Login { .. } => {}
    }
}

fn answer(session: &Session, done: &Done) -> ActivateAnswer {
    ActivateAnswer {
        host: session.view.spec.id(),
        messages: done.activated.iter().flat_map(|activated| &activated.messages).map(message_line).collect(),
        activated: done
            .activated
            .iter()
            .map(|activated| ActivatedLine {
                name: activated.name.clone(),
                path: path_text(&activated.path),
                digest: (!activated.digest.is_empty()).then(|| activated.digest.clone()),
                caller: activated.caller.as_str().to_owned(),
                arguments: activated.arguments.clone(),
                tools: activated.tools.clone(),
                fork: activated.fork.as_ref().map(fork_line),
                cut: activated.cut,
                repeated: activated.repeated,
            })
            .collect(),
        refused: done
            .refused
            .iter()
            .map(|refusal| RefusedLine {
                name: refusal.name.clone(),
                path: refusal.path.as_deref().map(path_text),
                why: refusal.why.as_str().to_owned(),
                text: refusal.text.clone(),
                help: refusal.help.clone(),
            })
            .collect(),
        notices: done.notices.iter().map(notice_line).collect(),
        ..ActivateAnswer::default()
    }
}

pub(crate) fn message_line(message: &Message) -> MessageLine {
    MessageLine { role: message.role.as_str().to_owned(), text: message.text.clone() }
}

fn notice_line(notice: &Notice) -> NoticeLine {
    NoticeLine { skill: notice.skill.clone(), text: notice.text.clone(), help: notice.help.clone() }
}

fn fork_line(plan: &ForkPlan) -> ForkLine {
    ForkLine {
        agent_type: plan.agent_type.clone(),
        background: plan.background,
        prompt: plan.prompt.clone(),
        model: plan.model.clone(),
        effort: plan.effort.clone(),
        tools: plan.tools.clone(),
        started: plan.started(),
        result: plan.result("{result}"),
    }
}
