//! `trust --list`: everything that is trusted, where it is written, and how to take it back.

use std::{fmt::Write as _, path::Path};

use openoxide_app::{Workspace, paths, problems};
use openoxide_wire::{TrustAnswer, WrittenLine};

use crate::ui::{ExitStatus, Role, Ui, paint, safe};
use crate::{session::warn_of, typed};

pub(super) fn list(ui: &Ui, workspace: &Workspace) -> anyhow::Result<ExitStatus> {
    let answer = openoxide_app::trust::list(workspace, &|folder, id| revoke(ui, workspace, folder, id));
    if ui.common.json {
        return ui.json(&answer);
    }
    warn_of(ui, workspace, &problems::of_trust(workspace));
    if answer.folders.is_empty() {
        let trust = ui.command_for_all("trust");
        ui.say(&format!("no folder is trusted; `{trust}` trusts the project that you are in"));
    }
    ui.data(&text(workspace, &answer))?;
    Ok(ExitStatus::Done)
}

fn revoke(ui: &Ui, workspace: &Workspace, folder: Option<&Path>, id: Option<&str>) -> Option<String> {
    let folder = folder.and_then(|folder| typed::path(workspace, folder));
    let what = folder.or_else(|| id.map(str::to_owned))?;
    Some(typed::command(&typed::for_all(&ui.common), "trust", Some(&what), "--revoke"))
}

fn text(workspace: &Workspace, answer: &TrustAnswer) -> String {
    let home = |text: &str| safe(&paths::abbreviate_home(workspace, text));
    let mut text = String::new();
    for line in &answer.folders {
        let _ = writeln!(text, "{}", home(&line.path));
        text += &details(workspace, &[], &line.written);
    }
    for line in &answer.sources {
        let _ = writeln!(text, "skills from {}", safe(&line.source));
        text += &details(workspace, &[], &line.written);
    }
    for line in &answer.grants {
        let _ = writeln!(text, "{}: {}", home(&line.skill), safe(&line.permission));
        let digest = line.digest.iter().map(|digest| format!("for {}", safe(digest)));
        let shown = line.shown.iter().flat_map(|shown| shown.lines()).map(|shown| format!("  {}", safe(shown)));
        text += &details(workspace, &digest.chain(shown).collect::<Vec<_>>(), &line.written);
    }
    for line in &answer.remotes {
        let _ = writeln!(text, "{} of the MCP server {}: reaches the model", safe(&line.uri), safe(&line.server));
        text += &details(workspace, &[format!("for {}", safe(&line.digest))], &line.written);
    }
    for line in &answer.answers {
        let agent = line.agent.as_ref().map_or_else(String::new, |agent| format!(" for the agent {agent}"));
        let _ = writeln!(text, "always: {} {}{}", safe(&line.permission), safe(&line.pattern), safe(&agent));
        text += &details(workspace, &[format!("for {}", home(&line.skill))], &line.written);
    }
    text
}

/// Writes what is said below each: what it is for, where it is written, and how it is taken back.
fn details(workspace: &Workspace, more: &[String], written: &WrittenLine) -> String {
    let mut text = String::new();
    for line in more {
        let _ = writeln!(text, "  {line}");
    }
    let since = written.since.as_ref().map_or_else(String::new, |since| {
        let day = since.split('T').next().unwrap_or(since);
        format!("since {}, ", safe(day))
    });
    let origin = safe(&paths::abbreviate_home(workspace, &written.origin));
    let _ = writeln!(text, "  {}", paint(Role::Dim, &format!("{since}{origin}")));
    if let Some(revoke) = &written.revoke {
        let _ = writeln!(text, "  revoke: {revoke}");
    }
    text
}
