//! `activate`: what the model is sent when a skill is called.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use clap::ValueEnum;
use openoxide_runtime::{Activation, Call, Done, Given, Question, Record, Runtime, Session as Conversation, drive};
use openoxide_sandbox::{Isolation, Probe};
use openoxide_skills::{Caller, Depth, Role, path_text};
use openoxide_wire::{ActivateAnswer, ActivatedLine, MessageLine, NoticeLine, RefusedLine};

use crate::ExitStatus;
use crate::args::Common;
use crate::asking::{Asking, AskingArgs};
use crate::session::Session;
use crate::ui::{Ui, safe, safe_lines};

/// Print what the model is sent when a skill is called
///
/// The text goes to standard output and nothing else does. Commands in a skill's text run only if you allow it, in a
/// sandbox; without a terminal they do not run, and a placeholder says so.
#[derive(Debug, clap::Args)]
pub(crate) struct ActivateArgs {
    /// The skill, by name or path
    skill: String,
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
    let call = Call {
        skill: session.meant(runtime.catalog(), &args.skill),
        caller: args.caller.into(),
        arguments: given(args),
    };
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
        for message in &answer.messages {
            let end = if message.text.ends_with('\n') { "" } else { "\n" };
            ui.raw(&format!("{}{end}", message.text))?;
        }
    }
    for notice in &done.notices {
        ui.warn(&format!("{}: {}", safe(&notice.skill), safe(&notice.text)));
        notice.help.iter().for_each(|help| ui.hint(&safe(help)));
    }
    for said in &done.verdict.messages {
        ui.warn(&format!("{}: {}", safe(&said.skill), safe(&said.text)));
    }
    for question in unasked {
        tell_unasked(ui, session, question);
    }
    for refusal in &done.refused {
        ui.problem(&safe_lines(&refusal.text));
        refusal.help.iter().for_each(|help| ui.hint(&safe(help)));
    }
    Ok(if done.refused.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}

/// Says what did not happen because nobody could be asked, and what would allow it.
fn tell_unasked(ui: &Ui, session: &Session, question: &Question) {
    match question {
        Question::Power { skill, powers, .. } => {
            let what: Vec<&str> = powers.iter().map(|power| power.title()).collect();
            ui.warn(&format!("`{}` was not allowed to {}, because nobody was asked", safe(skill), what.join(" and ")));
            let again = session.command("activate");
            ui.hint(&format!("run it in a terminal to be asked, or with `--yes`: {again} {} --yes", safe(skill)));
        }
        Question::Permission { skill, .. } => {
            ui.hint(&format!("calling `{}` needs a yes: run it in a terminal, or with `--yes`", safe(skill)));
        }
        Question::Secret { variable, .. } => {
            ui.warn(&format!("the variable {} is not set, and nobody was asked for it", safe(variable)));
            ui.hint(&format!("set it in the environment: {}=… openoxide …", safe(variable)));
        }
        Question::Server { name, .. } => {
            ui.warn(&format!("the MCP server `{}` is not configured, and nobody was asked to add it", safe(name)));
        }
        Question::Login { server, .. } => ui.warn(&format!("nobody logged in to `{}`", safe(server))),
    }
}

fn answer(session: &Session, done: &Done) -> ActivateAnswer {
    let message = |message: &openoxide_skills::Message| MessageLine {
        role: message.role.as_str().to_owned(),
        text: message.text.clone(),
    };
    let messages = done.activated.iter().flat_map(|activated| &activated.messages).map(message);
    // What hooks tell the model on being activated comes after what it is about.
    let context = done.verdict.context.iter();
    let context = context.map(|said| MessageLine { role: Role::User.as_str().to_owned(), text: said.text.clone() });
    ActivateAnswer {
        host: session.view.spec.id(),
        messages: messages.chain(context).collect(),
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
        notices: done
            .notices
            .iter()
            .map(|notice| NoticeLine {
                skill: notice.skill.clone(),
                text: notice.text.clone(),
                help: notice.help.clone(),
            })
            .collect(),
        ..ActivateAnswer::default()
    }
}
