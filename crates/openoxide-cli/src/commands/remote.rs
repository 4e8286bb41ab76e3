//! Skills that MCP servers offer, in `list --mcp`, `show`, `activate` and `read`.

use std::fmt::Write as _;
use std::sync::Arc;

use openoxide_mcp_client::{
    BlockingRemote, Remote, RemoteActivation, RemoteError, RemoteName, RemoteOptions, RemoteStep, Resources,
    ServerSkill, remote_line, remote_problem_line,
};
use openoxide_runtime::{
    Call, Done, Given, Refusal, Responder as _, Runtime, Session as Conversation, Why, activate_answer,
};
use openoxide_skills::host::Caller;
use openoxide_wire::{ReadAnswer, RemoteAnswer, RemoteFileLine, RemoteLine, RemoteProblemLine, SchemaVersion};

use crate::args::Common;
use crate::asking::{Asking, AskingArgs, tell_unasked};
use crate::commands::activate::{print_messages, runtime};
use crate::error::Told;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::table::{cut, pad, pad_left, widest};
use crate::typed;
use crate::ui::{Role, Ui, count, grouped, paint, safe, safe_lines};

/// What servers offer, as it is shown.
pub(crate) struct Offered {
    pub(crate) skills: Vec<RemoteLine>,
    pub(crate) problems: Vec<RemoteProblemLine>,
}

/// What somebody wants of a server.
pub(crate) struct Wanted<'a> {
    pub(crate) name: &'a RemoteName,
    pub(crate) caller: Caller,
    pub(crate) given: Given,
    pub(crate) asking: &'a AskingArgs,
}

/// How a file is read.
pub(crate) struct Reading<'a> {
    pub(crate) path: Option<&'a str>,
    pub(crate) list: bool,
    pub(crate) base64: bool,
    pub(crate) raw: bool,
}

fn client(session: &Session) -> anyhow::Result<BlockingRemote> {
    let environment = session.workspace.environment.clone();
    let options = RemoteOptions { environment, ..RemoteOptions::default() };
    Ok(BlockingRemote::new(Remote::new(session.workspace.config.mcp_servers(), options))?)
}

/// Returns a problem, for the user's own terminal.
fn problem_line(error: &RemoteError) -> RemoteProblemLine {
    RemoteProblemLine { text: error.in_terminal(), ..remote_problem_line(error) }
}

fn told(error: &RemoteError) -> Told {
    let told = match error {
        RemoteError::UnknownSkill { .. } | RemoteError::Ambiguous { .. } | RemoteError::Unverified { .. } => {
            Told::no(safe_lines(&error.in_terminal()))
        }
        _ => Told::failed(safe_lines(&error.in_terminal())),
    };
    match error.hint() {
        Some(hint) => told.hint(safe(&hint)),
        None => told,
    }
}

/// Asks every server of the user's settings.
pub(crate) fn ask(session: &Session) -> anyhow::Result<Offered> {
    let runtime = runtime(session)?;
    let listing = client(session)?.list();
    let conversation = Conversation::new("");
    Ok(Offered {
        skills: listing.skills.iter().map(|skill| remote_line(&runtime, &conversation, skill)).collect(),
        problems: listing.problems.iter().map(problem_line).collect(),
    })
}

/// Lists what servers offer, and what of it cannot be used.
pub(crate) fn show_list(ui: &Ui, offered: &Offered) -> anyhow::Result<()> {
    let names: Vec<String> = offered.skills.iter().map(|line| safe(&line.name)).collect();
    let width = widest(names.iter().map(String::as_str), ui.width().map_or(48, |all| (all / 2).min(48)));
    let sizes: Vec<String> = offered.skills.iter().map(size).collect();
    let size_width = widest(sizes.iter().map(String::as_str), 16);
    let mut text = String::new();
    for ((line, name), size) in offered.skills.iter().zip(&names).zip(&sizes) {
        let description = safe(&line.description);
        let note = note(line);
        let taken = width + size_width + 4 + if note.is_empty() { 0 } else { note.len() + 2 };
        let room = ui.width().map(|all| all.saturating_sub(taken).max(10));
        let description = room.map_or_else(|| description.clone(), |room| pad(&cut(&description, room), room));
        let name = paint(Role::Strong, &pad(name, width));
        let _ = write!(text, "{name}  {description}  {}", pad_left(size, size_width));
        if !note.is_empty() {
            let _ = write!(text, "  {}", paint(Role::Warning, note));
        }
        text.push('\n');
    }
    ui.data(&text)?;
    for problem in &offered.problems {
        ui.warn(&safe_lines(&problem.text));
        problem.help.iter().for_each(|help| ui.hint(&safe(help)));
    }
    Ok(())
}

fn size(line: &RemoteLine) -> String {
    line.files.map_or_else(|| "dynamic".to_owned(), |files| count(files, "file"))
}

fn note(line: &RemoteLine) -> &'static str {
    match (line.changed, line.model, line.user) {
        (true, ..) => "changed",
        (_, false, true) => "you only",
        (_, true, false) => "model only",
        _ => "",
    }
}

/// Says how much servers offer.
pub(crate) fn summary(offered: &Offered) -> String {
    match (offered.skills.len(), offered.problems.len()) {
        (0, 0) => "no MCP server offers skills; they are named in your config.toml, as `[mcp.servers.NAME]`".to_owned(),
        (skills, 0) => format!("{} of MCP servers", count(skills, "skill")),
        (skills, problems) => format!("{} of MCP servers, {}", count(skills, "skill"), count(problems, "problem")),
    }
}

/// Shows everything that is known of a skill before it is loaded.
pub(crate) fn show(
    ui: &Ui,
    common: &Common,
    session: &Session,
    runtime: &Runtime,
    name: &RemoteName,
) -> anyhow::Result<ExitStatus> {
    let skill = client(session)?.find(name).map_err(|error| told(&error))?;
    let remote = remote_line(runtime, &Conversation::new(""), &skill);
    let files = match &skill.entry.resources {
        Resources::Listed(files) => files.as_slice(),
        Resources::Dynamic => &[],
    };
    let file = |file: &openoxide_mcp_client::Resource| RemoteFileLine {
        path: file.path.clone(),
        size: file.size,
        digest: file.digest.to_string(),
    };
    let files: Vec<RemoteFileLine> = files.iter().map(file).collect();
    if common.json {
        ui.json(&RemoteAnswer { schema: SchemaVersion::default(), remote, files })?;
        return Ok(ExitStatus::Done);
    }
    session.warn(ui);
    let mut text = format!("{}\n{}\n\n", paint(Role::Strong, &safe(&remote.name)), safe(&remote.description));
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "  {}  {}", paint(Role::Dim, &pad(name, 13)), safe(value));
    };
    row("server", &remote.server);
    row("address", &remote.uri);
    row("allowed", allowed(&remote));
    row("digest", remote.digest.as_deref().unwrap_or("none: the server makes it up as it is asked for"));
    for (index, file) in files.iter().enumerate() {
        let line = format!("{} ({} bytes)", file.path, grouped(file.size));
        row(if index == 0 { "files" } else { "" }, &line);
    }
    ui.data(&text)?;
    Ok(ExitStatus::Done)
}

fn allowed(line: &RemoteLine) -> &'static str {
    match (line.allowed, line.changed) {
        (true, _) => "yes, with these files",
        (false, true) => "no: it has changed since you allowed it",
        (false, false) => "no: you are asked first",
    }
}

/// Prints what the model is sent when a skill of a server is called.
pub(crate) fn activate(
    ui: &Ui,
    common: &Common,
    session: &Session,
    runtime: &Arc<Runtime>,
    wanted: &Wanted<'_>,
) -> anyhow::Result<ExitStatus> {
    let done = call(ui, session, runtime, wanted)?;
    let answer = activate_answer(session.view.spec.id(), &done);
    match common.json {
        true => ui.json(&answer)?,
        false => print_messages(ui, &answer.messages)?,
    }
    for refusal in &answer.refused {
        ui.problem(&safe_lines(&refusal.text));
        refusal.help.iter().for_each(|help| ui.hint(&safe(help)));
    }
    Ok(if answer.refused.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}

fn call(ui: &Ui, session: &Session, runtime: &Arc<Runtime>, wanted: &Wanted<'_>) -> anyhow::Result<Done> {
    let remote = client(session)?;
    // What cannot be asked or found at all is told with its own status.
    remote.find(wanted.name).map_err(|error| told(&error))?;
    let call = Call { skill: wanted.name.to_string(), caller: wanted.caller, arguments: wanted.given.clone() };
    let activation = RemoteActivation::new(Arc::clone(runtime), remote.remote().clone(), call);
    let mut activation = activation.ok_or_else(|| Told::failed("this is no skill of a server"))?;
    let mut asking = Asking::new(ui, &session.workspace, wanted.asking);
    let mut conversation = Conversation::new("");
    let mut answer = None;
    let done = loop {
        match remote.resume(&mut activation, &mut conversation, answer.take()) {
            RemoteStep::Ask(question) => answer = Some(asking.answer(&question)),
            RemoteStep::Done(done) => break *done,
        }
    };
    tell_asked(ui, session, &asking, "activate", &wanted.name.to_string());
    Ok(done)
}

/// Says what nobody could be asked.
fn tell_asked(ui: &Ui, session: &Session, asking: &Asking<'_>, verb: &str, name: &str) {
    let word = typed::word(name).unwrap_or_else(|| "…".to_owned());
    for question in &asking.unasked {
        tell_unasked(ui, &format!("{} {word} --yes", session.command(verb)), question);
    }
}

/// Asks for what must be asked before a skill's text reaches the model, and says what nobody could be asked.
fn permitted(
    ui: &Ui,
    session: &Session,
    runtime: &Runtime,
    skill: &ServerSkill,
    verb: &str,
    wanted: &Wanted<'_>,
) -> Result<(), Refusal> {
    let mut asking = Asking::new(ui, &session.workspace, wanted.asking);
    let mut conversation = Conversation::new("");
    let offer = skill.offer(wanted.caller);
    let mut outcome = Ok(());
    for question in runtime.before_remote(&conversation, &offer, wanted.caller)? {
        let answer = asking.answer(&question);
        if !answer.is_yes() {
            let (name, text) = (offer.name.clone(), format!("`{}` was not allowed", offer.name));
            outcome = Err(Refusal { name, path: None, why: Why::Rejected, code: None, text, help: None });
            break;
        }
        // What cannot be remembered counts this time.
        let _ = runtime.keep_answer(&mut conversation, &question, &answer);
    }
    tell_asked(ui, session, &asking, verb, &offer.name);
    outcome
}

/// Reads a file of a server's skill. To the user it is text like any other; to the model, it is the skill's.
pub(crate) fn read(
    ui: &Ui,
    common: &Common,
    session: &Session,
    runtime: &Runtime,
    wanted: &Wanted<'_>,
    how: &Reading<'_>,
) -> anyhow::Result<ExitStatus> {
    let remote = client(session)?;
    let (skill, below) = match how.path {
        Some(_) => remote.find(wanted.name).map(|skill| (skill, None)),
        None => remote.locate(wanted.name),
    }
    .map_err(|error| told(&error))?;
    let (host, name) = (session.view.spec.id(), skill.id.to_string());
    if wanted.caller == Caller::Model
        && let Err(refusal) = permitted(ui, session, runtime, &skill, "read", wanted)
    {
        if common.json {
            ui.json(&ReadAnswer::refused(host, name, refusal.why.as_str(), refusal.text))?;
            return Ok(ExitStatus::No);
        }
        return Err(Told::no(safe_lines(&refusal.text)).into());
    }
    if how.list {
        let files = remote.files(&skill).map_err(|error| told(&error))?;
        return list_files(ui, common, &ReadAnswer::of_paths(host, name, &files), &files);
    }
    let path = how.path.map(str::to_owned).or(below).unwrap_or_else(|| "SKILL.md".to_owned());
    let bytes = match path.as_str() {
        "SKILL.md" => remote.load(&skill).map(|verified| verified.text.into_bytes()),
        path => remote.read(&skill, path),
    };
    let bytes = bytes.map_err(|error| told(&error))?;
    let answer = ReadAnswer::of_bytes(host, name, &path, &bytes, how.base64);
    if common.json {
        ui.json(&answer)?;
        return Ok(if answer.refused.is_some() { ExitStatus::No } else { ExitStatus::Done });
    }
    session.warn(ui);
    match answer.text {
        Some(text) if how.raw => ui.bytes(&text)?,
        Some(text) => ui.raw(&text)?,
        None => return Err(Told::no("the file is not text").hint("`--json --base64` answers bytes").into()),
    }
    Ok(ExitStatus::Done)
}

fn list_files(ui: &Ui, common: &Common, answer: &ReadAnswer, files: &[String]) -> anyhow::Result<ExitStatus> {
    match common.json {
        true => ui.json(answer)?,
        false => ui.data(&files.iter().fold(String::new(), |text, file| text + &safe(file) + "\n"))?,
    }
    Ok(ExitStatus::Done)
}
