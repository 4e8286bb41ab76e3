//! `trust --skill`: gives one skill permissions, after showing everything that it would get.

use std::path::Path;

use openoxide_app::{Depth, PermissionKind, Workspace, listed, paths, trust::GrantRequest};
use openoxide_wire::ChangeAnswer;

use crate::ui::{ExitStatus, Role, Ui, count, paint, safe};
use crate::{asking::AskingArgs, session::search, typed};

pub(super) fn grant(ui: &Ui, skill: &str, kinds: &[PermissionKind], asking: &AskingArgs) -> anyhow::Result<ExitStatus> {
    let snapshot = search(ui, Depth::Quick)?;
    ui.warn_of_settings(&snapshot.workspace, &snapshot.problems);
    let request = openoxide_app::trust::request(&snapshot, skill, kinds);
    ui.say_own_skills(&snapshot);
    let request = request?;
    let name = safe(&request.name);
    if request.is_granted {
        let has =
            if request.permissions.is_empty() { "asks for no permissions" } else { "has these permissions already" };
        ui.say(&format!("{name} {has}"));
        return ui.json_if_asked(&ChangeAnswer::new(Vec::new(), None));
    }
    show(ui, &snapshot.workspace, &request);
    if let Some(since) = request.changed_since {
        ui.warn(&format!("it changed since you gave it permissions on {}", since.date()));
    }
    if !asking.consent(ui, &format!("Give {name} these permissions?"))? {
        ui.say("no permission was given");
        return Ok(ExitStatus::No);
    }
    let undo = undo(ui, &snapshot.workspace, &request.skill);
    let kinds: Vec<&str> = request.kinds_after().into_iter().map(PermissionKind::as_str).collect();
    let changes = openoxide_app::trust::grant(&snapshot.workspace, request)?;
    ui.say(&format!("{name} has {} now: {}", count(kinds.len(), "permission"), listed(&kinds)));
    if let Some(undo) = &undo {
        ui.say(&format!("undo: {undo}"));
    }
    ui.json_if_asked(&ChangeAnswer::new(changes, undo))
}

/// Writes the command that takes the permission back; a word alone would be a name.
fn undo(ui: &Ui, workspace: &Workspace, skill: &Path) -> Option<String> {
    let folder = typed::path(workspace, skill.parent().unwrap_or(skill))?;
    let folder = if folder.contains('/') { folder } else { format!("./{folder}") };
    Some(typed::command(&typed::for_all(&ui.common), "trust", Some(&folder), "--revoke"))
}

/// Shows everything, word for word. It is the question, so `--quiet` does not hide it.
fn show(ui: &Ui, workspace: &Workspace, request: &GrantRequest) {
    ui.ask(&format!("{}\n{}", paths::short(workspace, &request.skill), safe(&request.digest)));
    for (kind, items) in &request.permissions {
        ui.ask(&paint(Role::Strong, &format!("{}: {}", kind.as_str(), meaning(*kind))));
        for item in items {
            ui.ask(&ui.quoted("  ", item));
        }
    }
}

fn meaning(kind: PermissionKind) -> &'static str {
    match kind {
        PermissionKind::Shell => "run these commands when it is called",
        PermissionKind::Script => "run these scripts",
        PermissionKind::Hook => "run these commands when something happens",
        PermissionKind::Profile => "have these permissions",
        PermissionKind::Tools => "use these tools without asking",
        PermissionKind::Mcp => "add these servers of tools",
    }
}
