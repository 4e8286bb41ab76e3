//! `read`: a file of a skill, as the host would send it.

use openoxide_app::read::{self, ReadInput};
use openoxide_app::{
    Audience, Caller, Depth, ReadForm, ReadPart, ReadProblem, ReadRefusal, ReadRefusalReason, RemoteName,
    ResourceBytes, ResourceContent, Session as Conversation, SkillFile, SkillRef, Snapshot,
};

use crate::asking::{Asking, AskingArgs};
use crate::session::{search, unknown_skill_hint};
use crate::ui::{ExitStatus, Ui, safe, safe_lines};
use crate::{args::caller, commands::remote, error::CommandError};

/// Read a file of a skill, as the agent would get it
///
/// Without a path, prints the skill's own text; of a folder, the names in it. Nothing outside of the skill's folder is ever
/// read. Only the text goes to standard output; on a terminal, control characters are shown as escapes.
#[derive(Debug, clap::Args)]
#[expect(clippy::doc_markdown, reason = "help is plain text")]
pub(crate) struct ReadArgs {
    /// A skill's name or path, an address (skill://NAME or skill://NAME/PATH), or mcp:SERVER/NAME
    skill: String,
    /// A file or folder in the skill's folder
    path: Option<String>,
    /// List the files of the skill's folder
    #[arg(long, conflicts_with = "path")]
    list: bool,
    /// Who reads; only a skill that they may call can be read
    #[arg(long = "as", value_name = "WHO", default_value = "user", value_parser = caller())]
    caller: Caller,
    /// With --json, write the file's bytes in base64
    #[arg(long, requires = "json")]
    base64: bool,
    /// Send control characters to a terminal as they are
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    asking: AskingArgs,
}

pub(crate) fn read(ui: &Ui, args: &ReadArgs) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    let mut asking = Asking::new(ui, &snapshot, &args.asking);
    let mut reading = read::read(&snapshot, input(args))?;
    let outcome = asking.drive(&mut reading, &mut Conversation::new(""));
    asking.tell_unasked(&format!("{} … --yes", ui.command("read")));
    if let Err(refusal) = &outcome.result
        && let ReadRefusalReason::Server(_, word) = refusal.reason
    {
        return Err(remote::told(word, &refusal.in_terminal(), refusal.help.as_deref()).into());
    }
    if ui.common.json {
        ui.json(&read::answer(&snapshot, &outcome))?;
        return Ok(if outcome.result.is_ok() { ExitStatus::Done } else { ExitStatus::No });
    }
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    let refused = |refusal: ReadRefusal| told(ui, &snapshot, &outcome.skill, args, &refusal);
    let answer = outcome.result.map_err(refused)?;
    let mut text = match &answer.found {
        // A person looks, and a pipe gets every byte.
        ResourceContent::File(SkillFile { bytes: ResourceBytes::Text { text, removed: 0 }, .. }) => text.clone(),
        _ => answer.text.unwrap_or_default(),
    };
    if args.list && RemoteName::parse(&args.skill).is_some() {
        // These are names that a server made up.
        text = text.lines().fold(String::new(), |text, file| text + &safe(file) + "\n");
    }
    if args.list && !text.ends_with('\n') {
        text.push('\n');
    }
    if args.raw {
        ui.bytes(&text)?;
    } else {
        ui.raw(&text)?;
    }
    Ok(ExitStatus::Done)
}

fn input(args: &ReadArgs) -> ReadInput {
    let part = match &args.path {
        Some(path) => ReadPart::Path(path.clone()),
        None if args.list => ReadPart::Listing,
        None => ReadPart::Manifest,
    };
    let form = if args.base64 { ReadForm::Bytes } else { ReadForm::Text };
    let (skill, caller) = (SkillRef::Typed(args.skill.clone()), args.caller);
    ReadInput { skill, part, caller, form, audience: Audience::Person }
}

/// Says to a person why nothing is answered, and what to do next.
fn told(ui: &Ui, snapshot: &Snapshot, name: &str, args: &ReadArgs, refusal: &ReadRefusal) -> CommandError {
    if matches!(refusal.reason, ReadRefusalReason::Problem(ReadProblem::UnknownSkill)) && args.caller == Caller::User {
        let near = read::near_name(snapshot, name).map(|near| format!("did you mean `{near}`?"));
        // A host's own words may list every skill: a person gets a command for that.
        let told = CommandError::no(format!("no skill is called `{}`", safe(name)));
        return told.hint(unknown_skill_hint(ui, &snapshot.workspace, name, near.as_deref()));
    }
    let told = CommandError::no(safe_lines(&refusal.in_terminal()));
    if let Some(help) = &refusal.help {
        return told.hint(safe(help));
    }
    let ReadRefusalReason::Problem(problem) = refusal.reason else { return told };
    match problem {
        ReadProblem::NotCallable => told.hint(format!("`{} NAME` says why", ui.command("explain"))),
        ReadProblem::NotFound
        | ReadProblem::Itself
        | ReadProblem::Folder
        | ReadProblem::Empty
        | ReadProblem::Absolute
        | ReadProblem::Home
        | ReadProblem::Traversal
        | ReadProblem::Escapes => told.hint("`openoxide read NAME --list` shows what is in a skill's folder"),
        ReadProblem::Binary | ReadProblem::NotUtf8 => told.hint("`--json --base64` answers bytes"),
        _ => told,
    }
}
