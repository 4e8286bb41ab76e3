//! Skills that MCP servers offer, in `list --mcp` and `show`.

use std::fmt::Write as _;

use openoxide_app::{RemoteName, Session as Conversation, Snapshot, remote};
use openoxide_wire::{RemoteAnswer, RemoteLine, RemotesAnswer};

use crate::asking::{Asking, AskingArgs};
use crate::error::CommandError;
use crate::table::{cut, pad, pad_left, widest};
use crate::ui::{ExitStatus, Role, Ui, count, grouped, only_caller, paint, safe, safe_lines};

/// Says why a server or a skill of it cannot be used. A skill that is not there, or not what was listed, is an answer.
pub(crate) fn told(word: &str, text: &str, help: Option<&str>) -> CommandError {
    let told = match word {
        "unknown" | "ambiguous" | "unverified" => CommandError::no(safe_lines(text)),
        _ => CommandError::failed(safe_lines(text)),
    };
    match help {
        Some(help) => told.hint(safe(help)),
        None => told,
    }
}

/// Finds a skill of a server, or says why it is not there.
pub(crate) fn check(snapshot: &Snapshot, asking: &mut Asking<'_>, name: RemoteName) -> anyhow::Result<RemoteAnswer> {
    let mut operation = remote::show(snapshot, name)?;
    let found = asking.drive(&mut operation, &mut Conversation::new(""));
    Ok(found.map_err(|error| told(error.word, &error.in_terminal(), error.help.as_deref()))?)
}

pub(crate) fn ask(ui: &Ui, snapshot: &Snapshot) -> anyhow::Result<RemotesAnswer> {
    let mut asking = Asking::new(ui, snapshot, &AskingArgs::default());
    let mut operation = remote::list(snapshot)?;
    Ok(asking.drive(&mut operation, &mut Conversation::new("")).terminal_answer())
}

/// Lists what servers offer, and what of it cannot be used.
pub(crate) fn show_list(ui: &Ui, offered: &RemotesAnswer) -> anyhow::Result<()> {
    let names: Vec<String> = offered.skills.iter().map(|line| safe(&line.name)).collect();
    let width = widest(names.iter().map(String::as_str), ui.width.map_or(48, |all| (all / 2).min(48)));
    let sizes: Vec<String> = offered.skills.iter().map(size).collect();
    let size_width = widest(sizes.iter().map(String::as_str), 16);
    let mut text = String::new();
    for ((line, name), size) in offered.skills.iter().zip(&names).zip(&sizes) {
        let description = safe(&line.description);
        let note = note(line);
        let taken = width + size_width + 4 + if note.is_empty() { 0 } else { note.len() + 2 };
        let room = ui.width.map(|all| all.saturating_sub(taken).max(10));
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
    if line.changed { "changed" } else { only_caller(line.model, line.user).unwrap_or_default() }
}

pub(crate) fn summary(offered: &RemotesAnswer) -> String {
    match (offered.skills.len(), offered.problems.len()) {
        (0, 0) => "no MCP server offers skills; they are named in your config.toml, as `[mcp.servers.NAME]`".to_owned(),
        (skills, 0) => format!("{} of MCP servers", count(skills, "skill")),
        (skills, problems) => format!("{} of MCP servers, {}", count(skills, "skill"), count(problems, "problem")),
    }
}

/// Shows everything that is known of a skill before it is loaded.
pub(crate) fn show(ui: &Ui, snapshot: &Snapshot, name: RemoteName) -> anyhow::Result<ExitStatus> {
    let mut asking = Asking::new(ui, snapshot, &AskingArgs::default());
    let answer = check(snapshot, &mut asking, name)?;
    if ui.common.json {
        return ui.json(&answer);
    }
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    let RemoteAnswer { remote, files, .. } = answer;
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
