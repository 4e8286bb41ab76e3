//! `read`: a file of a skill, as the host would send it.

use openoxide_mcp_client::RemoteName;
use openoxide_runtime::{Given, Responder as _, Runtime, Session as Conversation};
use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::host::{Caller, ReadProblem};
use openoxide_skills::resource::{
    ResourceAnswer, ResourcePart, ResourceRefusal, ResourceRequest, SkillUrl, read_resource,
};
use openoxide_skills::text::near;
use openoxide_wire::ReadAnswer;

use crate::args::{Common, caller};
use crate::asking::{Asking, AskingArgs, tell_unasked};
use crate::commands::activate::runtime;
use crate::commands::remote;
use crate::error::Told;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::ui::{Ui, safe};

/// Read a file of a skill, as the agent would get it
///
/// Without a path, reads the skill's own text; a folder is answered with the names in it. Nothing outside of the skill's
/// folder is ever read. The text goes to standard output and nothing else does; on a terminal, characters that command it
/// are shown as escapes.
#[derive(Debug, clap::Args)]
#[expect(clippy::doc_markdown, reason = "help is plain text")]
pub(crate) struct ReadArgs {
    /// A skill's name or path, an address (skill://NAME or skill://NAME/PATH), or mcp:SERVER/NAME for one that an MCP server
    /// offers
    skill: String,
    /// A file or folder in the skill's folder
    path: Option<String>,
    /// List what is in the skill's folder
    #[arg(long, conflicts_with = "path")]
    list: bool,
    /// Who asks: what they may not call, they may not read
    #[arg(long = "as", value_name = "WHO", default_value = "user", value_parser = caller())]
    caller: Caller,
    /// With --json, answer any file's bytes in base64
    #[arg(long, requires = "json")]
    base64: bool,
    /// Send control characters to a terminal as they are
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    asking: AskingArgs,
}

pub(crate) fn read(ui: &Ui, common: &Common, args: &ReadArgs) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    let runtime = runtime(&session)?;
    if let Some(name) = RemoteName::parse(&args.skill) {
        let wanted = remote::Wanted { name: &name, caller: args.caller, given: Given::Nothing, asking: &args.asking };
        let how = remote::Reading { path: args.path.as_deref(), list: args.list, base64: args.base64, raw: args.raw };
        return remote::read(ui, common, &session, &runtime, &wanted, &how);
    }
    let mut asking = Asking::new(ui, &session.workspace, &args.asking);
    let (name, outcome) = answer(&session, &runtime, args, &mut asking)?;
    let again = format!("{} … --yes", session.command("read"));
    asking.unasked.iter().for_each(|question| tell_unasked(ui, &again, question));
    if common.json {
        ui.json(&ReadAnswer::new(runtime.catalog().host.clone(), name, outcome.as_ref()))?;
        return Ok(if outcome.is_ok() { ExitStatus::Done } else { ExitStatus::No });
    }
    session.warn(ui);
    let catalog = runtime.catalog();
    let text = outcome.map_err(|refused| told(&session, catalog, &name, args, &refused))?.text.unwrap_or_default();
    if args.raw {
        ui.bytes(&text)?;
    } else {
        ui.raw(&text)?;
    }
    Ok(ExitStatus::Done)
}

/// Answers what was asked for; also returns the skill's name.
fn answer(
    session: &Session,
    runtime: &Runtime,
    args: &ReadArgs,
    asking: &mut Asking<'_>,
) -> Result<(String, Result<ResourceAnswer, ResourceRefusal>), Told> {
    let (host, catalog) = (&session.view.host, runtime.catalog());
    let mut conversation = Conversation::new("");
    let (asked, entry) = match asked(session, runtime, &conversation, args)? {
        Ok(found) => found,
        Err(problem) => return Ok((args.skill.clone(), Err(ResourceRefusal::unnamed(host, problem)))),
    };
    let outcome = entry
        .and_then(|entry| permitted(runtime, &mut conversation, entry, &asked, asking).map(|()| entry))
        .map_err(|problem| ResourceRefusal::new(host, catalog, &asked, problem))
        .and_then(|entry| read_resource(host, catalog, entry, &asked, args.base64));
    Ok((asked.name, outcome))
}

/// Asks for what rules ask for.
fn permitted(
    runtime: &Runtime,
    conversation: &mut Conversation,
    entry: &Entry,
    asked: &ResourceRequest,
    asking: &mut Asking<'_>,
) -> Result<(), ReadProblem> {
    for question in runtime.before_reading(conversation, entry, asked)? {
        let answer = asking.answer(&question);
        if !answer.is_yes() {
            return Err(ReadProblem::Forbidden);
        }
        // What cannot be remembered counts this time.
        let _ = runtime.keep_answer(conversation, &question, &answer);
    }
    Ok(())
}

/// What was asked for, and the skill that is meant; an address may name none at all.
type Wanted<'c> = Result<(ResourceRequest, Result<&'c Entry, ReadProblem>), ReadProblem>;

fn asked<'r>(
    session: &Session,
    runtime: &'r Runtime,
    conversation: &Conversation,
    args: &ReadArgs,
) -> Result<Wanted<'r>, Told> {
    let rules = &session.view.host.resource;
    let caller = args.caller;
    if SkillUrl::is_url(&args.skill) {
        if !rules.addresses {
            let told = Told::failed(format!("`{}` does not know addresses", session.view.spec.id()));
            return Err(told.hint("name the skill and the file: `openoxide read NAME PATH`"));
        }
        if args.path.is_some() || args.list {
            return Err(Told::failed("an address names the file itself").hint("leave the path away"));
        }
        return Ok(ResourceRequest::by_url(&args.skill, caller, rules).map(|asked| {
            let entry = runtime.readable(conversation, &asked.name, caller);
            (asked, entry)
        }));
    }
    let meant = session.meant(runtime.catalog(), &args.skill);
    let entry = runtime.readable(conversation, &meant, caller);
    let name = entry.as_ref().map_or(args.skill.as_str(), |entry| &entry.skill.name);
    let asked = match &args.path {
        Some(path) => ResourceRequest::by_path(name, path, caller, rules),
        None if args.list => ResourceRequest::for_skill(name, ResourcePart::Top, caller),
        None => ResourceRequest::for_skill(name, ResourcePart::Manifest, caller),
    };
    Ok(Ok((asked, entry)))
}

/// Says to a person why nothing is answered, and what to do next.
fn told(session: &Session, catalog: &Catalog, name: &str, args: &ReadArgs, refused: &ResourceRefusal) -> Told {
    let told = Told::no(refused.text.clone());
    match (refused.problem, args.caller) {
        (ReadProblem::UnknownSkill, Caller::User) => {
            let names = catalog.skills.iter().filter(|entry| entry.user).map(|entry| &*entry.skill.name);
            let list = format!("`{}` shows everything that was found", session.command("list --all"));
            match near(name, names).first() {
                Some(near) => told.hint(format!("did you mean `{}`? {list}", safe(near))),
                None => told.hint(list),
            }
        }
        (ReadProblem::NotCallable, _) => told.hint(format!("`{} NAME` says why", session.command("explain"))),
        (ReadProblem::NotFound | ReadProblem::Itself | ReadProblem::Folder, _) => {
            told.hint("`openoxide read NAME --list` shows what is in a skill's folder")
        }
        (ReadProblem::Binary | ReadProblem::NotUtf8, _) => told.hint("`--json --base64` answers bytes"),
        _ => told,
    }
}
